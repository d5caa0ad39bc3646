"""Pods that no kubelet will ever end: removed."""

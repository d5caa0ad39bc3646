"""Pods on nodes with NoExecute taints: deleted, at once or when their tolerations run out."""

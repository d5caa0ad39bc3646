"""Pods for Jobs; a Workload and a PodGroup where the version says so."""

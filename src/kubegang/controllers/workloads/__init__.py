"""What ReplicaSets, StatefulSets, DaemonSets and Deployments have in common.

Adopting, making and deleting pods, readiness, numbers as shares; nothing here knows one of
the kinds.
"""

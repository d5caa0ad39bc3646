"""The victims that make room for a pod or a group, searched on a snapshot. Pure."""

"""The search for a change that lets a pod or a group start; one module per kind of change."""

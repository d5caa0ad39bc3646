"""``kubegang check``: pure functions from manifests to findings; nothing is read or printed."""

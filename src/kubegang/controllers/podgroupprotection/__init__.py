"""The finalizer that keeps a PodGroup while its pods live."""

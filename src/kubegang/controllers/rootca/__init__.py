"""The certificate of the cluster's authority, where pods look for it."""

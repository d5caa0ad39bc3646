"""Overview: a whole cluster at one glance, for the page and for ``kubegang top``."""

"""One table per Kubernetes release. Data, no code."""

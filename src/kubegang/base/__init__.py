"""What knows nothing of Kubernetes: clocks, feature gates, logging, metrics.

Nothing here may import another package of kubegang.
"""

"""What knows nothing of Kubernetes: clocks, feature gates, logging.

Nothing here may import another package of kubegang.
"""

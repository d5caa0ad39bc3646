"""Pods whose devices have NoExecute taints: deleted, now or when their claims' tolerations end.

``taints`` and ``pools`` say which taints a device has; ``standing`` keeps what the API shows and
says when a pod has to go; ``conditions`` words what becomes of a rule; ``controller`` deletes
pods, ``rulestatus`` reports.
"""

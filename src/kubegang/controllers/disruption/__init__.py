"""PodDisruptionBudgets: how many of their pods may be evicted right now.

``counting`` decides, ``owners`` knows how many pods there should be, ``controller`` acts. No
eviction happens here: the API server's eviction subresource and preemption read the status.
"""

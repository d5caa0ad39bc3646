"""Workload, PodGroup and PriorityClass, as the code reads them."""

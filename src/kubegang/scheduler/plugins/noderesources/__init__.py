"""The plugins NodeResourcesFit and NodeResourcesBalancedAllocation."""

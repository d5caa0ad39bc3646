"""ResourceQuota: nothing is created beyond what a namespace may have."""

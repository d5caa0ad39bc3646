"""Custom resources in the API server: the live list of kinds, and what keeps it up to date."""

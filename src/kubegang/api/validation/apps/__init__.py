"""Validation of the apps group, and of replication controllers."""

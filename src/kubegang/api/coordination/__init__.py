"""Lease, as the code reads it."""

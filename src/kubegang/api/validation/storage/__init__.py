"""Validation of the storage group."""

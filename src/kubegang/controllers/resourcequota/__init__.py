"""Quotas: how much of what a namespace may have is used."""

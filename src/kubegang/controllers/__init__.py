"""Reconcile loops, one folder each. They meet everyone else only through the API."""

"""Lets claims and volumes go that nobody uses any more."""

"""Carries decisions out through the API: bind, undo, conditions, events."""

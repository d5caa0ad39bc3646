"""Binds claims to volumes, and says what becomes of volumes without a claim."""

"""Composition roots: the only place where store, transport, clock and profile are chosen."""

"""The main programs of the components' processes, one module each.

A module imports what its component needs and nothing of the others: every process pays for its
imports in start-up time and memory. What they have in common is ``app.child``.
"""

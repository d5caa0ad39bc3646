"""Rules of the scheduling group: one module per kind, and per version where they differ."""

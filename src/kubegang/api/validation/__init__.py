"""What the API server refuses: one module per API group, a field path in every message."""

"""What the API server fills in: one module per API group, after upstream."""

"""Makes the claims of generic ephemeral volumes."""

"""The page: assets and read-only views."""

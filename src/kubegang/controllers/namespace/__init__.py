"""Namespaces that are being deleted: emptied, then let go."""

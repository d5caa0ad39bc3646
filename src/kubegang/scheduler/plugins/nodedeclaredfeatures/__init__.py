"""The plugin NodeDeclaredFeatures."""

"""The plugin NodeAffinity."""

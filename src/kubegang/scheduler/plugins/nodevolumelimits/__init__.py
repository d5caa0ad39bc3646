"""The plugin NodeVolumeLimits."""

"""The plugin VolumeRestrictions."""

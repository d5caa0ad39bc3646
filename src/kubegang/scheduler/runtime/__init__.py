"""Runs a scheduler profile's plugins in order and attributes each Status. Pure."""

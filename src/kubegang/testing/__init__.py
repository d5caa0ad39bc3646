"""Builders, harness and matchers, shipped for plugin authors too."""

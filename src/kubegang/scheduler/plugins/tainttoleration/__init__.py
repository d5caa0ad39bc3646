"""The plugin TaintToleration."""

"""Where pods and groups wait, and when they are tried again. Pure."""

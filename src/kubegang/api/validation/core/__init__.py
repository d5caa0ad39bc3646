"""Rules of the core group's kinds other than pods, one module per kind."""

"""The page: assets, read-only views, and the acts that it may be allowed (``acts.py`` alone)."""

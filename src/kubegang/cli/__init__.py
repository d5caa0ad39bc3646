"""Arguments in, rendered reports out; no logic."""

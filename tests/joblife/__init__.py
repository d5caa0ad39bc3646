"""Jobs of any shape, what happens to them, and what is left: played on any cluster."""

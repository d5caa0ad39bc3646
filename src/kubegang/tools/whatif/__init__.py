"""What would happen in a cluster if something were otherwise; nothing is touched. Pure."""

"""One folder per plugin, and the registry that names them. Pure."""

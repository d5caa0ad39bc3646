"""Reports as people or programs read them: tables, JSON, YAML."""

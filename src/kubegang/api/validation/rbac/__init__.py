"""Rules of roles and bindings."""

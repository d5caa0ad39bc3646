"""Functions from objects to typed reports: check, convert, explain, what-if. Pure."""

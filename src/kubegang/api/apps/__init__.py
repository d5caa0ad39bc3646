"""Controllers of long-running pods, as far as code reads them."""

"""One module per verb: what happens between a decoded request and the store."""

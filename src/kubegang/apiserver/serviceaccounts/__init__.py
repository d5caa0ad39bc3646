"""Tokens of service accounts: asked for, given out, recognised, and how others can check them."""

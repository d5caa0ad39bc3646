"""Spreads pods evenly over the domains of topology keys."""

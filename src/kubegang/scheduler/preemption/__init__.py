"""The cheapest set of victims, searched on a snapshot. Pure."""

"""The scheduler's own queue, cache and decisions on a cluster's state, with nothing behind them."""

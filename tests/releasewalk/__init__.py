"""A walk of one cluster's state through the releases: played by the real programs and by ours."""

"""Seeded random scenarios on the real kube-scheduler and on ours; what comes of them must agree."""

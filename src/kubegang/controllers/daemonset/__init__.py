"""DaemonSets: one pod on each node that fits the template, kept to it by node affinity."""

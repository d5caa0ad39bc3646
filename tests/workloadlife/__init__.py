"""Random lives of Deployments, StatefulSets and DaemonSets, to be played on any cluster."""

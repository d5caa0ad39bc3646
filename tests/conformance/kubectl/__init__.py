"""Sessions with kubectl, and what it printed against a real kube-apiserver 1.37.2."""

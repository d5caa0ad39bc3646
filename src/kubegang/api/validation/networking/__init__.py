"""Rules of networking.k8s.io: ingresses, their classes, network policies."""

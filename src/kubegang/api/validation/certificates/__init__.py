"""Rules of certificates.k8s.io: requests for certificates."""

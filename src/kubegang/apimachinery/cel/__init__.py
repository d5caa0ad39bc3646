"""What Kubernetes adds to the Common Expression Language."""

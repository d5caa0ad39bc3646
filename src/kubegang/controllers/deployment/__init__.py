"""Deployments: a ReplicaSet for each template, sized against each other during a rollout."""

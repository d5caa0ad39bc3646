"""Makes ResourceClaims from templates, for pods and for PodGroups, and frees them again."""

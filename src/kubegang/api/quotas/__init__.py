"""What objects count for in quotas and limit ranges: pure, for admission and controllers alike."""

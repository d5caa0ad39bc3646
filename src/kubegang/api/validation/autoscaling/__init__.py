"""Rules of autoscaling: HorizontalPodAutoscalers in both versions."""

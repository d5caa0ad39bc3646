"""HorizontalPodAutoscalers: their two versions as views of one object."""

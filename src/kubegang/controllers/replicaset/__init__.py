"""ReplicaSets and ReplicationControllers: as many pods of a template as the user asks for."""

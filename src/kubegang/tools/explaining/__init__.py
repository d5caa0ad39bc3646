"""Why a pod, a group or a Job waits, or is where it is; and what would let it start. Pure."""

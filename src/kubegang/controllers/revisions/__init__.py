"""ControllerRevisions: the templates that StatefulSets and DaemonSets had, to go back to."""

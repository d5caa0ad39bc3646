"""The live picture of nodes, pods and pod groups, assumed pods included. Pure."""

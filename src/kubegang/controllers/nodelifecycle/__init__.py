"""Nodes whose kubelet is silent or unwell: said so in conditions, and tainted.

``health`` knows when a node was last heard of, ``taints`` what a node's state asks for,
``zones`` how fast nodes may be tainted; ``controller`` acts. Pods are driven away by
``controllers.tainteviction``.
"""

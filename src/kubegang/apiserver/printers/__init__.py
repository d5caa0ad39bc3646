"""What ``kubectl get`` shows of each kind: one module per API group.

kubectl has no columns of its own; it prints the table that the server renders. ``columns`` and
``cells`` hold what the modules share, ``table.py`` above picks the printer of a kind.
"""

"""Gang scheduling for Kubernetes, in Python.

Folders are stations of the data's flow: base, apimachinery, api, store, apiserver, client,
scheduler, controllers, nodesim, tools, web, app, cli; testing stands beside them. Read them
in that order and each idea appears before its use. ``ARCHITECTURE.md`` is the map.
"""

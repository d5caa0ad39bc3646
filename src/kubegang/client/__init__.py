"""The only door to the API for everyone but the API server itself.

Requests are built as values, sent over HTTPS or handed to the ASGI app in the same process;
``informer``, ``workqueue`` and ``leaderelection`` are what controllers build on.
"""

"""The Kubernetes REST API over the store.

``app`` lists the routes in the order of a request's life; ``handlers`` has one module per
verb; ``registry`` says what is special about a kind.
"""

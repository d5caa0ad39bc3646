"""What every suite has: a way to the cluster, and a namespace that it may fill.

Imports nothing but the standard library and pytest: the project's own environment, which
lacks the clients, loads this file too when it looks for tests.
"""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def kubeconfig() -> str:
    """The path of the cluster administrator's kubeconfig."""
    return os.environ["KUBECONFIG"]


@pytest.fixture(scope="session")
def namespace() -> str:
    """A namespace that nobody else uses."""
    return os.environ["KUBEGANG_CLIENT_NAMESPACE"]

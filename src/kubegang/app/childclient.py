"""The API as one component's process sees it: over HTTPS, as itself."""

from __future__ import annotations

from pathlib import Path

from kubegang.app.options import ChildSettings
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig


def client_of(settings: ChildSettings) -> ApiClient:
    """Return a client with the component's own credentials."""
    transport = HttpTransport(load_kubeconfig(Path(settings.kubeconfig)))
    return ApiClient(transport, user_agent=agent_of(settings))


def agent_of(settings: ChildSettings) -> str:
    """Return what the component calls itself in requests."""
    return f"kubegang-{settings.component}"

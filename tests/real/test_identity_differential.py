"""Users, rights, tokens, quotas and limits: the same requests to kube-apiserver and to ours.

The real server runs alone, without controllers. Every answer must be equal in status and form,
and at least 95 of 100 texts letter by letter.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from kubegang.apiserver.policybootstrap import ensure_policy
from kubegang.app.policy import policy_of
from kubegang.app.profiles.table import profile_named
from tests.component.apiharness import Api, run
from tests.real.identityscenes import ASKING, Scene, Step, scene_of
from tests.real.limitscenes import limit_scenes
from tests.real.peer_plane import real_plane

pytestmark = pytest.mark.real

SCENES = int(os.environ.get("IDENTITY_SCENES", "12"))
REQUESTS = 40
_VOLATILE = ("uid", "resourceVersion", "creationTimestamp", "managedFields")
_CHANCE = ("clusterIP", "clusterIPs", "nodePort")
_OWN_WORDS = ("/version", "/openid/v1/jwks", "/api/v1/secrets")
"""What depends on the program, its key, or on what other scenes left: only the status counts."""
_BOUND_SECONDS = 20


class Answer(dict[str, Any]):
    """Status and body of an answer, without what differs from run to run."""


class RealServer:
    """A kube-apiserver, asked as its administrator."""

    def __init__(self, kubeconfig: Path) -> None:
        server = yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]["server"]
        context = ssl.create_default_context()
        # The script that starts it makes a certificate that nobody knows.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        address = urlsplit(server).netloc
        self._connection = http.client.HTTPSConnection(address, context=context, timeout=60)

    def send(self, step: Step) -> Answer:
        body = b"" if step.body is None else json.dumps(step.body).encode()
        self._connection.putrequest(step.method, step.path)
        self._connection.putheader("Authorization", "Bearer admin-token")
        self._connection.putheader("Content-Type", step.content_type)
        self._connection.putheader("Content-Length", str(len(body)))
        for name, value in _impersonation(step):
            self._connection.putheader(name, value)
        self._connection.endheaders(body)
        reply = self._connection.getresponse()
        return _answer(step, reply.status, reply.read())

    def close(self) -> None:
        self._connection.close()

    def wait_for(self, user: str) -> None:
        """Wait until the server has seen the binding of a user."""
        attributes = {"verb": "get", "resource": "pods"}
        review = {"spec": {"user": user, "resourceAttributes": attributes}}
        deadline = time.monotonic() + _BOUND_SECONDS
        while time.monotonic() < deadline:
            answer = self.send(Step("POST", f"{ASKING}/subjectaccessreviews", review))
            if answer["body"]["status"]["allowed"]:
                return
            time.sleep(0.05)  # noqa: TID251 - a real process
        pytest.fail("the real server does not see the bindings")


def play_real(server: RealServer, scene: Scene, seed: int) -> list[Answer]:
    for step in scene.setup:
        server.send(step)
    server.wait_for(f"last-{seed}")
    return [server.send(step) for step in scene.requests]


def play_ours(scene: Scene) -> list[Answer]:
    answers: list[Answer] = []

    async def main(api: Api) -> None:
        await ensure_policy(api.backend, policy_of(profile_named("1.37")))
        for step in scene.setup:
            await _send(api, step)
        answers.extend([await _send(api, step) for step in scene.requests])

    run(main, roles=True)
    return answers


async def _send(api: Api, step: Step) -> Answer:
    headers = {name.lower(): value for name, value in _impersonation(step)}
    reply = await api.send(
        step.method, step.path, step.body, content_type=step.content_type, headers=headers
    )
    return _answer(step, reply.status, reply.body)


def _impersonation(step: Step) -> Iterator[tuple[str, str]]:
    if step.user:
        yield "Impersonate-User", step.user
    for group in step.groups:
        yield "Impersonate-Group", group


def _answer(step: Step, status: int, body: bytes) -> Answer:
    if step.method == "HEAD" or (step.path in _OWN_WORDS and status < 400):
        return Answer(status=status, body="", message="")
    try:
        decoded = json.loads(body)
    except ValueError:
        return Answer(status=status, body=body.decode(errors="replace"), message="")
    message = decoded.pop("message", "") if isinstance(decoded, dict) else ""
    return Answer(status=status, body=_plain(decoded), message=_sorted_lines(message))


def _plain(value: Any) -> Any:
    """Leave out what differs from run to run, and bring sets into one order."""
    if isinstance(value, dict):
        kept = {k: _plain(v) for k, v in value.items() if k not in (*_VOLATILE, *_CHANCE)}
        for name in ("token", "expirationTimestamp"):
            if kept.get(name):
                kept[name] = "some"
        for name in ("resourceRules", "nonResourceRules"):
            if name in kept:
                kept[name] = sorted(kept[name] or [], key=json.dumps)
        if "causes" in kept:
            kept["causes"] = sorted(kept["causes"], key=json.dumps)
        if kept.get("reason", "").startswith("RBAC: allowed by"):
            # Of several bindings that allow it, either may be named.
            kept["reason"] = "allowed"
        return kept
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _sorted_lines(message: str) -> str:
    return "\n".join(sorted(message.split("\n")))


def _without_order(message: str) -> list[str]:
    """Return the parts of a message: several refusals come in an order of chance (Go's maps)."""
    return sorted(re.split(r"[\[\],]\s*", message))


def differences(scene: Scene, real: list[Answer], ours: list[Answer]) -> tuple[list[str], int]:
    """Return what differs in form, and how many texts differ."""
    told, texts = [], 0
    for step, theirs, mine in zip(scene.requests, real, ours, strict=True):
        if (theirs["status"], theirs["body"]) != (mine["status"], mine["body"]):
            told.append(f"{step}\n  real {dict(theirs)}\n  ours {dict(mine)}")
        elif _without_order(theirs["message"]) != _without_order(mine["message"]):
            texts += 1
            told_text = f"{step}\n  real {theirs['message']}\n  ours {mine['message']}"
            print(told_text)  # noqa: T201 - shown if the share of equal texts is too small
    return told, texts


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    given = os.environ.get("IDENTITY_KUBECONFIG")
    directory = tmp_path_factory.mktemp("plane")
    with contextlib.ExitStack() as stack:
        plane = real_plane(directory, "37", NO_KCM="1", NO_SCHED="1")
        kubeconfig = Path(given) if given else stack.enter_context(plane)
        yield stack.enter_context(contextlib.closing(RealServer(kubeconfig)))


def test_random_users_are_answered_as_by_the_real_server(real: RealServer) -> None:
    told: list[str] = []
    texts = asked = 0
    base = int(os.environ.get("IDENTITY_FIRST", "0"))
    for seed in range(base, base + SCENES):
        scene = scene_of(seed, REQUESTS)
        found, other = differences(scene, play_real(real, scene, seed), play_ours(scene))
        told += found
        texts += other
        asked += len(scene.requests)
    assert not told, f"{len(told)} of {asked}:\n" + "\n".join(told)
    assert texts <= asked * 0.05


@pytest.mark.parametrize("name", sorted(limit_scenes()))
def test_quotas_and_limits_are_those_of_the_real_server(real: RealServer, name: str) -> None:
    scene = limit_scenes(suffix=os.environ.get("IDENTITY_FIRST", "0"))[name]
    for step in scene.setup:
        answer = real.send(step)
        assert answer["status"] < 400, (step, answer)
    # kube-apiserver's informers see quotas and limits a moment later.
    time.sleep(1.5)  # noqa: TID251 - a real process
    theirs = [real.send(step) for step in scene.requests]
    told, texts = differences(scene, theirs, play_ours(scene))
    assert not told, "\n".join(told)
    assert not texts

"""Every kind in every act, and every question of the corpus, on real API servers and on ours.

Answers must be alike in structure: status, headers, body; of refusals code, reason and causes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.real.apiacts import Entry, acts, corpus_questions, replay
from tests.real.peer_plane import real_plane
from tests.system.upprocess import up

COUNT = "KUBEGANG_OBJECTS_PER_KIND"
"""In the environment: how many objects of each kind act."""

AT_ONCE = 4

DIFFERING = {
    # The client of the test has a certificate, which is enough.
    "protocol.yaml auth-bad-token",
    "protocol.yaml auth-no-token-discovery",
    "protocol.yaml auth-no-token-write",
    # A service that is not there is refused for its port by the real one.
    "Service s its status emptied",
    # Who asks for a certificate stands in the request.
    *(
        f"CertificateSigningRequest csr-{{x}} {act}"
        for act in (
            "as a table",
            "in a list's table",
            "with its managers",
            "merged",
            "merged strategically",
            "patched",
            "applied in part",
            "applied",
            "replaced",
            "its status emptied",
            "its status merged",
            "deleted last",
        )
    ),
    # Addresses are given out by chance.
    "Service svc as a table",
    "Service svc in a list's table",
    # The parameters of a driver count as changed once their spaces are gone.
    *(f"DeviceClass dc-{{x}} {act}" for act in ("merged", "merged strategically", "patched")),
    "DeviceClass dc-{x} applied in part",
    # Its taints are dropped with their gate off, and it counts as changed.
    *(f"ResourceSlice rs-{{x}} {act}" for act in ("applied", "replaced")),
}
"""Known differences."""

pytestmark = [
    pytest.mark.real,
    pytest.mark.long,
    pytest.mark.timeout(1800),
    # The corpus's player does not check certificates, and leaves files to the collector.
    pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.parametrize("release", ["1.35", "1.36", "1.37"])
def test_every_answer_is_alike(release: str, tmp_path: Path) -> None:
    wanted = [*corpus_questions(release), *acts(int(os.environ.get(COUNT, "3")))]
    environment = {"NO_SCHED": "1", "NO_KCM": "1", "ETCD_NOFSYNC": "true"}
    number = release.removeprefix("1.")
    flags = ("--in-memory", "--components=apiserver", f"--kubernetes-version={release}")
    with real_plane(tmp_path / "real", number, **environment) as real, up(tmp_path, *flags) as own:
        differing = dict(_compare(wanted, real, own.kubeconfig))
    told = {name: lines for name, lines in differing.items() if name not in DIFFERING}
    assert not told, f"{len(told)} of {len(wanted)} differ: {told}"


def _compare(
    wanted: Iterable[tuple[str, Entry]], real: Path, own: Path
) -> Iterable[tuple[str, list[str]]]:
    """Return the names of what differs, with what differs in it."""
    servers = [replay.load_kubeconfig(str(path)) for path in (real, own)]

    def one(item: tuple[str, Entry]) -> tuple[str, list[str]]:
        name, entry = item
        answers = [_answer(server, entry) for server in servers]
        problems = [answer for answer in answers if isinstance(answer, str)]
        if problems:
            # What neither can be asked, such as a kind that the release has not, is no difference.
            return name, problems if len(problems) == 1 else []
        return name, replay.compare(*answers)[0]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [(name, lines) for name, lines in pool.map(one, wanted) if lines]


def _answer(server: Any, entry: Entry) -> Any:
    """Return what a server answers, or as a text why it could not be asked."""
    try:
        return replay.execute(server, entry)
    except (replay.SetupError, requests.exceptions.RequestException, KeyError) as error:
        return f"not asked: {error}"

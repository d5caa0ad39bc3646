"""The walk on the real programs: etcd and kube-apiserver of the releases, on one directory."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from kubegang.base.clock import RealClock
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Request, UnreachableError
from kubegang.client.kubeconfig import load_kubeconfig
from tests.real.peer_plane import PROGRAMS, five_free_ports, peer_program
from tests.releasewalk.story import GROUP, Played, Stage, answer

READY_SECONDS = 40.0
"""A server that has nothing in its way is ready in less; one that has never is."""

STEP_SECONDS = 0.5

GATES = {
    "1.35": "GenericWorkload=true",
    "1.36": "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,GangScheduling=true,"
    "DRAWorkloadResourceClaims=true,WorkloadWithJob=true,WorkloadAwarePreemption=true",
    "1.37": "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true,"
    "DRAWorkloadResourceClaims=true,WorkloadWithJob=true,PodGroupPreemptionPolicy=true",
}
SERVED = {"1.35": ("v1alpha1",), "1.36": ("v1alpha2",), "1.37": ("v1beta1", "v1alpha3")}


class RealWalk:
    """One directory of etcd, and one server after the other on it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._port = five_free_ports()
        directory.mkdir()
        subprocess.run(
            ["openssl", "genrsa", "-out", str(directory / "sa.key"), "2048"],
            check=True,
            capture_output=True,
        )
        (directory / "tokens.csv").write_text('t,admin,admin-uid,"system:masters"\n')
        (directory / "kubeconfig").write_text(
            "apiVersion: v1\nkind: Config\ncurrent-context: x\n"
            f'clusters: [{{name: c, cluster: {{server: "https://127.0.0.1:{self._port}", '
            "insecure-skip-tls-verify: true}}]\n"
            "users: [{name: u, user: {token: t}}]\n"
            "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
        )

    async def play(self, stage: Stage) -> Played:
        """Start a release on the directory and send the requests of a stage."""
        with self._running(stage):
            transport = HttpTransport(load_kubeconfig(self._directory / "kubeconfig"))
            try:
                return await self._ask(stage, transport)
            finally:
                await transport.close()

    @contextlib.contextmanager
    def _running(self, stage: Stage) -> Iterator[None]:
        with (self._directory / "log").open("ab") as log:
            running = [
                subprocess.Popen(command, stdout=log, stderr=log)
                for command in (self._etcd(), self._server(stage))
            ]
            try:
                yield
            finally:
                for process in reversed(running):
                    process.terminate()
                    process.wait()

    async def _ask(self, stage: Stage, transport: HttpTransport) -> Played:
        if not await self._is_ready(stage, transport):
            return Played(ready=False)
        answers = []
        for ask in stage.asks:
            status, obj = await _send(transport, ask.method, ask.path, ask.body)
            answers.append(answer(status, obj, ask))
        return Played(ready=True, answers=tuple(answers))

    async def _is_ready(self, stage: Stage, transport: HttpTransport) -> bool:
        """Wait until the server is ready, and see whether it can list what is stored."""
        clock = RealClock()
        until = clock.now() + READY_SECONDS
        while True:
            try:
                if (await transport.send(Request("GET", "/readyz"))).status == 200:
                    break
            except UnreachableError:
                pass
            if clock.now() > until:
                return False
            await clock.sleep(STEP_SECONDS)
        if not stage.gates:
            return True
        # Nothing in 1.35's server watches Workloads, so it says that it is ready all the same.
        version = SERVED[stage.release][0]
        status, _ = await _send(transport, "GET", f"{GROUP}/{version}/workloads", None)
        return status == 200

    def _etcd(self) -> list[str]:
        url, peers = f"http://127.0.0.1:{self._port + 1}", f"http://127.0.0.1:{self._port + 2}"
        return [
            str(PROGRAMS / "etcd" / "etcd"),
            f"--data-dir={self._directory / 'etcd'}",
            f"--listen-client-urls={url}",
            f"--advertise-client-urls={url}",
            f"--listen-peer-urls={peers}",
            "--unsafe-no-fsync=true",
        ]

    def _server(self, stage: Stage) -> list[str]:
        key = self._directory / "sa.key"
        served = ",".join(f"scheduling.k8s.io/{one}=true" for one in SERVED[stage.release])
        gates = [f"--feature-gates={GATES[stage.release]}", f"--runtime-config={served}"]
        return [
            str(peer_program("kube-apiserver", stage.release.replace("1.", ""))),
            f"--etcd-servers=http://127.0.0.1:{self._port + 1}",
            f"--secure-port={self._port}",
            "--bind-address=127.0.0.1",
            f"--cert-dir={self._directory / 'certs'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-signing-key-file={key}",
            f"--service-account-key-file={key}",
            f"--token-auth-file={self._directory / 'tokens.csv'}",
            "--authorization-mode=AlwaysAllow",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            *(gates if stage.gates else ()),
        ]


async def _send(transport: HttpTransport, method: str, path: str, body: Any) -> tuple[int, Any]:
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    content = msgspec.json.encode(body) if body is not None else b""
    headers = (("Content-Type", kind), ("Accept", "application/json"))
    response = await transport.send(Request(method, path, headers=headers, body=content))
    return response.status, msgspec.json.decode(response.body)

"""The roles in ``deploy`` let the scheduler follow what it follows, in each release."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock
from kubegang.client.asgi import AsgiTransport
from kubegang.client.testing import RecordingClient
from kubegang.scheduler.scheduler import Scheduler
from tests.component.apiharness import START, Api, api_test
from tests.component.schedulerharness import RELEASES

DEPLOY = Path(__file__).parents[2] / "deploy"
ROLES = (
    DEPLOY / "kustomize/base/clusterrole.yaml",
    DEPLOY / "helm/kubegang-scheduler/templates/clusterrole.yaml",
)


def granted(path: Path, verb: str) -> set[tuple[str, str]]:
    """Return group and name of the resources for which a role has a verb."""
    # What the chart fills in is not about rights.
    text = re.sub(r"^.*\{\{.*$", "", path.read_text(), flags=re.MULTILINE)
    rules: list[dict[str, Any]] = yaml.safe_load(text)["rules"]
    return {
        (group, resource)
        for rule in rules
        if verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("path", ROLES, ids=lambda path: path.parts[-3])
def test_the_scheduler_may_follow_what_it_follows(path: Path, release: str) -> None:
    async def scenario(api: Api) -> None:
        scheduler = Scheduler(
            RecordingClient(AsgiTransport(api.app, user="scheduler", groups=())),
            profile_named(release).schedulers,
            clock=VirtualClock(START),
            rng=random.Random(1),
            registry=CollectorRegistry(),
        )
        followed = {(i._resource.group, i._resource.plural) for i in scheduler._informers}
        assert ("", "pods") in followed
        for verb in ("list", "watch"):
            assert followed - granted(path, verb) == set(), verb

    api_test(scenario)()

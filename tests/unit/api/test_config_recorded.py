"""Configuration files as the real kube-schedulers take them (1.35.4, 1.36.3, 1.37.2).

The recordings are made by ``python -m tests.real.configuration_peer``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubegang.api.config.completed import shown_configuration
from kubegang.api.config.document import ConfigurationError
from kubegang.api.config.loading import load_scheduler_configuration
from kubegang.app.errors import BadInputError
from kubegang.app.profiles.table import profile_named
from kubegang.app.scheduler import check_profiles

DATA = Path(__file__).parent / "data"
FILES: dict[str, str] = yaml.safe_load((DATA / "scheduler_configurations.yaml").read_text())
SAID = json.loads((DATA / "scheduler_configurations_said.json").read_text())

# As the recordings were made: other gang gates bring no plugin, but depend on these.
OFF = {
    "1.35": "",
    "1.36": "WorkloadAwarePreemption=false,DRAWorkloadResourceClaims=false,WorkloadWithJob=false",
    "1.37": (
        "DRAWorkloadResourceClaims=false,WorkloadWithJob=false,PodGroupPreemptionPolicy=false,"
        "CompositePodGroup=false"
    ),
}

NOT_OURS = {
    ("1.35", "args-fit2"): "1.35.4 ends with a panic",
    ("1.35", "args-fit3"): "1.35.4 looks at the shape whatever the type, 1.36 no more",
    ("1.35", "args-fit4"): "1.35.4 names another path, 1.36 no more",
    ("1.35", "args-fit5"): "1.35.4 names another path, 1.36 no more",
    ("1.35", "twicemulti"): "the point is named that comes first; NodeName had fewer",
    ("1.36", "twicemulti"): "the point is named that comes first; NodeName had fewer",
    ("1.35", "weight"): "1.35.4 does not name the kind of plugin, 1.36 does",
    **{(version, "lease4"): "not refused for what the file says" for version in OFF},
}

OTHER_WORDS = {
    "badkind": "ours says what is known instead of where it was looked up",
    "badversion": "ours says what is known instead of where it was looked up",
    "extenders": "ours adds that extenders are not supported at all",
    "argsversion": "upstream's names a line of its source",
}


def cases() -> Iterator[Any]:
    for version, answers in SAID.items():
        for name in answers:
            if (version, name) in NOT_OURS:
                continue
            yield pytest.param(version, name, id=f"{version}-{name}")


def ours(version: str, text: str) -> dict[str, Any]:
    profile = profile_named(version, component_gates={"scheduler": OFF[version]})
    try:
        config = load_scheduler_configuration(text, "scheduler.yaml", profile)
        check_profiles(profile, config)
    except ConfigurationError as error:
        problems = list(error.problems)
        return {"refused": problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"}
    except BadInputError as error:
        return {"refused": str(error)}
    return {"completed": shown_configuration(config, profile)}


@pytest.mark.parametrize(("version", "name"), [*cases()])
def test_a_file_is_taken_or_refused_as_by_the_real_scheduler(version: str, name: str) -> None:
    wanted, found = SAID[version][name], ours(version, FILES[name])
    if name in OTHER_WORDS:
        assert list(found) == list(wanted)
        start = re.split(r" in scheme |; known|\]$", wanted["refused"])[0]
        assert found["refused"].startswith(start)
    else:
        assert found == wanted

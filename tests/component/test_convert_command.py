"""``kubegang convert`` as a command: what goes where, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kubegang.app.errors import BadInputError
from kubegang.cli.convert import convert

GROUP = """\
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g}
spec:
  schedulingPolicy: {gang: {minCount: 2}}
  preemptionPolicy: Never  # patient
"""


def called(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(convert, arguments, input=stdin)


def test_manifests_go_to_standard_output_and_findings_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(GROUP)
    result = called(str(path), "--to", "v1alpha2", "--allow-loss")
    assert result.exit_code == 0
    assert "v1alpha2" in result.stdout
    assert "preemptionPolicy" not in result.stdout
    assert result.stderr == (
        f"{path}:6:3: loss: PodGroup g spec.preemptionPolicy: "
        "groups have no preemption policy before 1.37\n"
    )


def test_a_loss_that_is_not_allowed_ends_with_status_1_and_no_output() -> None:
    result = called("-", "--to-kubernetes", "1.36", stdin=GROUP)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.endswith("not converted; --allow-loss goes on without what is lost\n")


def test_the_report_is_json_with_the_manifests_in_it() -> None:
    result = called("-", "--to", "v1alpha3", "-o", "json", stdin=GROUP)
    report = json.loads(result.stdout)
    assert report["converted"]
    assert report["findings"] == []
    assert report["output"] == GROUP.replace("v1beta1", "v1alpha3")


def test_several_files_are_one_stream_of_documents(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(GROUP.replace("name: g", f"name: {name}"))
    output = called(str(tmp_path), "--to", "v1beta1").stdout
    assert output == "---\n".join(GROUP.replace("name: g", f"name: {name}") for name in "ab")


@pytest.mark.parametrize("flags", [(), ("--to", "v1beta1", "--to-kubernetes", "1.37")])
def test_the_target_has_to_be_said_once(flags: tuple[str, ...]) -> None:
    assert isinstance(called("-", *flags, stdin=GROUP).exception, BadInputError)


def test_what_cannot_be_parsed_is_bad_input_with_its_place() -> None:
    result = called("-", "--to", "v1beta1", stdin="kind: Pod\nspec: {a: [}\n")
    assert isinstance(result.exception, BadInputError)
    assert str(result.exception).startswith("stdin:2:")

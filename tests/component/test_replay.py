"""``kubegang replay``: jobs come, start when the scheduler lets them, and end."""

from __future__ import annotations

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from kubegang.app.clustersource import Rules
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.errors import BadInputError
from kubegang.app.options import UpOptions
from kubegang.app.replaying import ReplayOptions, replay_trace
from kubegang.cli.main import commands
from kubegang.scheduler.framework.pods import PodUid
from kubegang.tools.cluster.reading import StateReader
from kubegang.tools.rehearsal.filling import fill_cache
from kubegang.tools.replaying.course import Course, JobRun
from kubegang.tools.replaying.driven import DrivenRehearsal, Likeness
from kubegang.tools.replaying.objects import ObjectMaker
from kubegang.tools.replaying.report import ReplayReport
from kubegang.tools.replaying.trace import TraceJob
from tests.component.toolscenes import RACK, node

GPU = "nvidia.com/gpu"
START = 1_795_000_000.0
RELEASES = ("1.35", "1.36", "1.37")
HEADER = "job_id,submission_time,duration,num_gpu\n"


def job(
    name: str, submitted: float, duration: float, *, pods: int = 1, gpus: int = 8, priority: int = 0
) -> TraceJob:
    return TraceJob(
        name=name,
        submitted=submitted,
        duration=duration,
        pods=pods,
        gang=pods > 1,
        requests={GPU: str(gpus)},
        priority=priority,
    )


def played(
    *jobs: TraceJob, nodes: int = 1, release: str = "1.37", alike: bool = True
) -> dict[str, JobRun]:
    """Play jobs on nodes of eight GPUs; ``alike`` says whether one decision may do for many."""
    version = resolve_profile(UpOptions(kubernetes_version=release))
    config = scheduler_configuration("", version)
    rules = Rules(version=version, config=config, configured=False)
    deciders = rules.deciders(("default-scheduler",))
    reader = StateReader(version.gates["apiserver"])
    for number in range(nodes):
        reader.add_written(node(f"n{number}", labels={RACK: f"r{number % 2}"}, gpu="8"))
    cache, _ = fill_cache(reader.state(taken=START), deciders.main, scheduler_names=deciders.names)

    def one_by_one(uid: PodUid) -> PodUid:
        return uid

    def rehearsal(likeness: Likeness) -> DrivenRehearsal:
        return DrivenRehearsal(
            cache,
            deciders,
            now=START,
            rng=random.Random(0),
            backoff=rules.backoff,
            likeness=likeness if alike else one_by_one,
        )

    maker = ObjectMaker(deciders.main, version.gates["apiserver"])
    course = Course(jobs, rehearsal, maker, changed=lambda _course: None)
    course.run()
    cache.validate()
    return {run.job.name: run for run in course.runs}


def spans(runs: dict[str, JobRun]) -> dict[str, tuple[float | None, float | None]]:
    return {name: (run.started, run.ended) for name, run in runs.items()}


@pytest.mark.parametrize("release", RELEASES)
def test_a_job_begins_when_the_one_before_it_ends(release: str) -> None:
    runs = played(job("a", 0, 100), job("b", 10, 50), release=release)

    assert spans(runs) == {"a": (0, 100), "b": (100, 150)}
    assert runs["b"].wait == 90


@pytest.mark.parametrize("release", RELEASES)
def test_a_gang_begins_when_all_its_pods_have_a_node(release: str) -> None:
    runs = played(
        job("a", 0, 100), job("b", 0, 200), job("gang", 10, 50, pods=2), nodes=2, release=release
    )

    began, ended = spans(runs)["gang"]
    assert began is not None
    assert 200 <= began <= 210
    assert ended == began + 50


def test_an_evicted_job_begins_anew_and_runs_its_whole_time() -> None:
    runs = played(job("weak", 0, 100), job("strong", 40, 30, priority=10))

    began, ended = spans(runs)["strong"]
    assert began is not None
    assert 40 <= began <= 42
    assert runs["weak"].evictions == 1
    again, last = spans(runs)["weak"]
    assert again is not None
    assert ended is not None
    assert again >= ended
    assert last == again + 100


def test_a_gang_that_loses_one_pod_stops_as_a_whole() -> None:
    runs = played(job("gang", 0, 100, pods=2), job("strong", 10, 20, priority=10), nodes=2)

    assert runs["gang"].evictions == 1
    assert runs["gang"].ended is not None
    assert runs["strong"].ended is not None
    assert runs["gang"].ended >= runs["strong"].ended + 100 - 20


def test_what_never_fits_ends_the_replay_all_the_same() -> None:
    runs = played(job("large", 0, 10, pods=3), job("small", 5, 10), nodes=2)

    assert spans(runs) == {"large": (None, None), "small": (5, 15)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("release", RELEASES)
def test_deciding_once_about_jobs_that_are_alike_changes_nothing(seed: int, release: str) -> None:
    rng = random.Random(seed)
    # On one node nothing is left to chance.
    jobs = sorted(
        (
            job(
                f"j{number}",
                rng.randrange(60),
                rng.randrange(1, 40),
                pods=rng.choice((1, 1, 2)),
                gpus=rng.choice((1, 2, 4)),
            )
            for number in range(25)
        ),
        key=lambda one: one.submitted,
    )

    once = spans(played(*jobs, release=release))
    each = spans(played(*jobs, release=release, alike=False))

    assert once == each
    assert all(ended is not None for _, ended in once.values())


def test_never_more_runs_at_once_than_fits() -> None:
    rng = random.Random(5)
    jobs = [job(f"j{n}", n, rng.randrange(5, 50), gpus=rng.choice((1, 3, 8))) for n in range(60)]

    runs = list(played(*jobs, nodes=2).values())

    for moment in {run.started for run in runs}:
        taken = sum(
            int(run.job.requests[GPU])
            for run in runs
            if run.started is not None
            and run.ended is not None
            and moment is not None
            and run.started <= moment < run.ended
        )
        assert taken <= 16


# --- the command --------------------------------------------------------------------------


def report(trace: str, *, nodes: str, release: str = "1.37", seed: int = 0) -> ReplayReport:
    options = ReplayOptions(
        trace="-",
        gpu_resource=GPU,
        scheduler_name="default-scheduler",
        seed=seed,
        cluster=UpOptions(kubernetes_version=release, nodes=nodes),
    )
    return replay_trace(
        options, read_standard_input=lambda: trace, progress=lambda _ended, _seconds: None
    )


@pytest.fixture
def two_nodes(tmp_path: Path) -> str:
    path = tmp_path / "nodes.yaml"
    path.write_text(
        "apiVersion: kubegang.dev/v1alpha1\nkind: SimulatedCluster\n"
        'nodePools: [{name: gpu, count: 2, allocatable: {nvidia.com/gpu: "8"}}]\n'
    )
    return str(path)


def test_the_report_says_how_the_cluster_was_used(two_nodes: str) -> None:
    found = report(f"{HEADER}a,0,100,8\nb,0,100,8\nc,0,100,16\n", nodes=two_nodes)

    assert (found.jobs, found.gangs, found.ended, found.nodes) == (3, 1, 3, 2)
    assert 200 <= found.makespan <= 215
    assert found.utilisation == round(200 / found.makespan, 4)
    assert found.largest_queue == 1
    assert (found.waits.p50, found.waits.max) == (0.0, found.makespan - 100)
    assert [(one.size, one.jobs, one.began) for one in found.sizes] == [
        ("5-8", 2, 2),
        ("9-16", 1, 1),
    ]
    assert found.series[0].used == 1.0


def test_fragments_are_what_an_average_pod_of_the_trace_could_not_take(two_nodes: str) -> None:
    """On each node 3 GPUs stay free: of use to one pod of three. Later everything fits."""
    found = report(f"{HEADER}a,0,100,5\nb,0,100,5\nc,100,100,1\n", nodes=two_nodes)

    assert found.fragmentation == round(100 * (6 * 2 / 3) / (100 * 6 + 100 * 15), 4)
    assert {one.fragmentation for one in found.series} == {round(2 / 3, 4), 0.0}


def test_only_a_node_with_everything_a_pod_asks_for_is_of_use(tmp_path: Path) -> None:
    nodes, trace = tmp_path / "nodes.yaml", tmp_path / "trace.yaml"
    nodes.write_text(
        "apiVersion: kubegang.dev/v1alpha1\nkind: SimulatedCluster\nnodePools:\n"
        '- {name: gpu, count: 1, allocatable: {cpu: "4", nvidia.com/gpu: "8"}}\n'
    )
    requests = '{cpu: 1500m, nvidia.com/gpu: "1"}'
    trace.write_text(
        "apiVersion: kubegang.dev/v1alpha1\nkind: JobTrace\njobs:\n"
        + "".join(
            f"- {{name: {name}, submitted: 0, duration: 10, requests: {requests}}}\n"
            for name in ("a", "b")
        )
    )

    found = report(trace.read_text(), nodes=str(nodes))

    assert (found.utilisation, found.fragmentation) == (0.25, 1.0)


def test_a_job_that_nothing_can_start_is_named_with_the_reason_and_does_not_count_as_waiting(
    two_nodes: str,
) -> None:
    found = report(f"{HEADER}a,0,100,8\nhuge,0,100,24\n", nodes=two_nodes)

    (never,) = found.never_began
    assert (never.job, found.ended) == ("huge", 1)
    assert never.message.startswith("needs 3 pods at once in the cluster; 2 find room")
    assert (found.idle_while_waiting, found.utilisation) == (0.0, 0.5)


def test_the_same_seed_gives_the_same_report(two_nodes: str) -> None:
    rows = "".join(f"j{n},{n * 7},{20 + n * 3 % 50},{1 + n % 5}\n" for n in range(80))

    assert report(HEADER + rows, nodes=two_nodes) == report(HEADER + rows, nodes=two_nodes)


def test_a_trace_may_be_a_document(two_nodes: str) -> None:
    trace = """
        apiVersion: kubegang.dev/v1alpha1
        kind: JobTrace
        jobs: [{name: a, submitted: 0, duration: 30, pods: 2, requests: {cpu: "1"}}]
    """

    found = report(trace, nodes=two_nodes)

    assert (found.ended, found.makespan, found.gangs) == (1, 30, 1)


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        ("job_id,duration\n", "stdin:1: no column submission_time, num_gpu"),
        ("kind: [", "stdin:2:1: did not find"),
        ("kind: Other\n", "stdin:1: the object has no apiVersion"),
        ("", "stdin: need one JobTrace, found 0 documents"),
    ],
)
def test_a_trace_that_cannot_be_read_is_bad_input(trace: str, message: str, two_nodes: str) -> None:
    with pytest.raises(BadInputError, match=message):
        report(trace, nodes=two_nodes)


def test_a_cluster_without_nodes_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="there are no nodes"):
        report(f"{HEADER}a,0,1,1\n", nodes="0")


def test_the_command_prints_draws_and_says_no_if_a_job_never_began(
    two_nodes: str, tmp_path: Path
) -> None:
    trace, picture = tmp_path / "trace.csv", tmp_path / "plot.svg"
    trace.write_text(f"{HEADER}a,0,100,8\nhuge,0,100,24\n")
    arguments = ["replay", str(trace), f"--nodes={two_nodes}", f"--plot={picture}"]

    printed = CliRunner().invoke(commands, arguments)
    as_json = CliRunner().invoke(commands, [*arguments, "-o", "json"])

    assert printed.exit_code == as_json.exit_code == 1
    assert "utilisation              50.0% of nvidia.com/gpu on average" in printed.output
    assert "1 job never began" in printed.output
    assert json.loads(as_json.output)["neverBegan"][0]["job"] == "huge"
    drawn = ElementTree.fromstring(picture.read_text())
    lines = drawn.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [400, 400, 400]


def test_a_picture_may_be_a_png(two_nodes: str, tmp_path: Path) -> None:
    picture = tmp_path / "plot.png"
    arguments = ["replay", "-", f"--nodes={two_nodes}", f"--plot={picture}"]

    done = CliRunner().invoke(commands, arguments, input=f"{HEADER}a,0,100,8\n")

    assert done.exit_code == 0, done.output
    body = picture.read_bytes()
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(body[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (1800, 1260)


def test_a_picture_of_another_kind_is_refused(two_nodes: str) -> None:
    arguments = ["replay", "-", f"--nodes={two_nodes}", "--plot=replay.pdf"]

    done = CliRunner().invoke(commands, arguments)

    assert isinstance(done.exception, BadInputError)

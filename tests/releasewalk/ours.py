"""The walk on our own data directory, in this process."""

from __future__ import annotations

from kubegang.app.datadir import DataDirectory
from kubegang.app.entering import enter_release
from kubegang.app.errors import BadInputError
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import RealClock
from kubegang.store.sqlite import open_sqlite_store
from tests.component.apiharness import JSON, MERGE, Api
from tests.releasewalk.story import Played, Stage, answer


async def play(directory: DataDirectory, stage: Stage) -> Played:
    """Start a release on the directory and send the requests of a stage."""
    profile = profile_named(stage.release)
    gates = (
        ""
        if stage.gates
        else ",".join(f"{gate.name}=false" for gate in profile.known_gates if gate.gang)
    )
    profile = profile_named(stage.release, feature_gates=gates)
    try:
        await enter_release(directory, profile, clock=RealClock())
    except BadInputError:
        return Played(ready=False)
    store = await open_sqlite_store(directory.store)
    try:
        api = await Api.start(version=stage.release, feature_gates=gates, store=store)
        answers = []
        for ask in stage.asks:
            kind = MERGE if ask.method == "PATCH" else JSON
            reply = await api.send(ask.method, ask.path, ask.body, content_type=kind)
            answers.append(answer(reply.status, reply.object, ask))
    finally:
        await store.close()
    return Played(ready=True, answers=tuple(answers))

"""What must be true once all faults are over and nobody does anything any more."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.cache.states import PodState
from kubegang.scheduler.cycle.decision import BindPod, Diagnosis, WaitOnPermit
from kubegang.scheduler.framework.entities import QueuedEntity, QueuedPodGroupInfo, QueuedPodInfo
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid
from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.places import Place
from tests.property.machine.world import World

STILL_SECONDS = {"1.35": 100.0, "1.36": 60.0, "1.37": 60.0}
"""So many turns of this are longer than anybody waits; in 1.35 gangs wait twice."""

TURNS, MOST_TURNS = 7, 40

CHANCES = 16
"""So often a message is tried again that depends on how ties were broken."""


def come_to_rest(world: World) -> None:
    """Let faults end, agents finish what was begun, and time pass."""

    async def rest() -> None:
        world.api.heal()
        world.api.graceless = True
        quiet = turns = 0
        while quiet < TURNS and turns < MOST_TURNS:
            bound = len(world.api.bound)
            clean_up(world)
            await world.clock.sleep(STILL_SECONDS[world.setting.release])
            turns += 1
            # Gangs of 1.35 that keep each other waiting may be served late.
            quiet = quiet + 1 if len(world.api.bound) == bound else 0
            if turns == 1:
                # Nobody may have to wait for the clock to find out that he fits.
                _nobody_fits(world)
                # Later decisions repeat the ones so far.
                world.scheduler.watched.rehearses = False

    world.run(rest())
    world.check()


def clean_up(world: World) -> None:
    """End pods that are being deleted, and those whose node is gone, as others would."""
    nodes = {node["metadata"]["name"] for node in world.api.objects("nodes")}
    for pod in world.api.objects("pods"):
        node = pod["spec"].get("nodeName")
        if pod["metadata"].get("deletionTimestamp") or (node and node not in nodes):
            world.api.remove("pods", pod["metadata"]["name"])


def check_still(world: World) -> None:
    """Check that nobody was lost, forgotten or left without an explanation."""

    async def check() -> None:
        _check_still(world)

    world.run(check())


def _check_still(world: World) -> None:
    _nothing_is_overfilled(world)
    _nobody_is_bound_twice(world)
    _the_cache_agrees(world)
    _everybody_waits_somewhere(world)
    _nobody_fits(world)
    preempting = world.scheduler.cache.groups._preempting
    assert not preempting, f"{preempting} preempt for ever"
    for entry in world.scheduler.queue.contents.entries():
        _there_is_a_reason(world, entry)
    _everybody_has_a_diagnosis(world)


def _nothing_is_overfilled(world: World) -> None:
    """Check the API's nodes, but for those on which others than the scheduler acted."""
    room = {n["metadata"]["name"]: n["status"]["allocatable"] for n in world.api.objects("nodes")}
    for name in room.keys() - world.disturbed:
        here = [p for p in world.pods() if p["spec"].get("nodeName") == name]
        cpu = sum(_milli(p) for p in here)
        assert cpu <= 1000 * int(room[name]["cpu"]), f"{name} has {cpu}m of {room[name]}"
        assert len(here) <= int(room[name]["pods"]), f"{name} has {len(here)} pods"


def _milli(pod: JsonObject) -> int:
    text: str = pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]
    return int(text[:-1]) if text.endswith("m") else 1000 * int(text)


def _nobody_is_bound_twice(world: World) -> None:
    uids = [uid for uid, _ in world.api.bound]
    assert len(uids) == len(set(uids)), world.api.bound


def _the_cache_agrees(world: World) -> None:
    scheduler = world.scheduler
    ours = {"default-scheduler", "kubegang"}
    shown = {
        p["metadata"]["uid"]: p["spec"].get("nodeName", "")
        for p in world.pods()
        if p["spec"].get("nodeName") or p["spec"]["schedulerName"] in ours
    }
    known = {}
    for cached in scheduler.cache.pods():
        known[cached.pod.uid] = cached.node if cached.state is PodState.BOUND else ""
    assert known == shown
    waiting = {view.pod.uid for view in scheduler._binder.waiting_pods.all()}
    assumed = {c.pod.uid for c in scheduler.cache.pods() if c.state is PodState.ASSUMED}
    assert assumed <= waiting, f"{assumed - waiting} are being bound for ever"


def _everybody_waits_somewhere(world: World) -> None:
    queue = world.scheduler.queue
    waiting = {view.pod.uid for view in world.scheduler._binder.waiting_pods.all()}
    for cached in world.scheduler.cache.pods():
        if cached.state is not PodState.PENDING:
            continue
        place = queue.contents.place_of(cached.pod)
        assert place not in (Place.NOWHERE, Place.PENDING), f"{cached.pod.key} is {place}"
        assert place is not Place.IN_FLIGHT or cached.pod.uid in waiting, cached.pod.key
        if place is Place.INCOMPLETE:
            assert cached.pod.pod_group is not None
            assert world.scheduler.cache.groups.root_of(cached.pod.pod_group) is None, (
                cached.pod.key
            )


def _nobody_fits(world: World) -> None:
    """Check that who waits could not be placed now."""
    for entry in world.scheduler.queue.contents.entries():
        if entry.place in (Place.IN_FLIGHT, Place.GATED) or _may_starve(world):
            continue
        if any(queued.rejected_by == {"DefaultPreemption"} for queued in entry.pods()):
            # It waited on permit when its place was taken, and no event cures that (1.35).
            continue
        decision = world.scheduler.watched.would_decide(whole(world, entry))
        placed = [i for i in decision.instructions if isinstance(i, BindPod | WaitOnPermit)]
        assert not placed, f"{entry.key} waits though {placed} could be"


def _there_is_a_reason(world: World, entry: Entry) -> None:
    """Check that what holds an entity is true now, and so is what is said about it."""
    scheduler = world.scheduler
    if entry.place is Place.IN_FLIGHT:
        return
    if entry.place is Place.GATED:
        gate = scheduler.queue._group_flow._gatekeeper.ask_all(entry)
        assert gate is not None, f"{entry.key} is held by nobody"
        return
    entity = whole(world, entry)
    now = scheduler.watched.would_decide(entity).diagnosis.message
    told = scheduler.explain(entry.key)
    assert told is not None, f"nobody can say why {entry.key} waits"
    if _may_starve(world):
        # Room is held and let go every few minutes.
        return
    if told.message.startswith("lost its place"):
        # It waited on permit in vain and was not tried since (1.35).
        return
    # Which of equal nodes the members before it got may decide which node comes closest.
    true = told.message == now or any(
        told.message == scheduler.watched.would_decide(entity, seed=seed).diagnosis.message
        for seed in range(CHANCES)
    )
    assert true, f"{entry.key}: told {told.message!r}, now {now!r}"


def _may_starve(world: World) -> bool:
    """Return whether gangs may keep each other waiting: each holds a part of the room (1.35)."""
    return bool(world.scheduler._binder.waiting_pods.all())


def whole(world: World, entry: Entry) -> QueuedEntity:
    """Return what would be decided about if an entity were popped."""
    info = entry.info
    if isinstance(info, QueuedPodGroupInfo):
        return QueuedPodGroupInfo(
            group=info.group,
            members=sorted(entry.pods(), key=_order_in_group),
            priority=info.priority,
            timestamp=info.timestamp,
        )
    profile = world.scheduler._profiles[info.scheduler_name]
    if info.pod.pod_group is None or profile.group_cycle != "popped-by-member":
        return info
    return QueuedPodGroupInfo(
        group=info.pod.pod_group,
        members=_siblings(world, info.pod.pod_group),
        priority=info.priority,
        timestamp=info.timestamp,
    )


def _siblings(world: World, group: PodGroupKey) -> list[QueuedPodInfo]:
    """Return the members that would be gathered, in the order in which they are tried."""
    found = [
        queued
        for entry in world.scheduler.queue.contents.entries()
        for queued in entry.pods()
        if queued.pod.pod_group == group and entry.place is not Place.GATED
    ]
    return sorted(found, key=lambda q: (-q.priority, q.first_attempt, q.activation))


def _order_in_group(queued: QueuedPodInfo) -> tuple[int, int, float]:
    return (-queued.priority, -queued.attempts, queued.timestamp)


def _everybody_has_a_diagnosis(world: World) -> None:
    scheduler = world.scheduler
    for cached in scheduler.cache.pods():
        if cached.state is not PodState.PENDING:
            continue
        key: PodUid | PodGroupKey = cached.pod.uid
        place = scheduler.queue.contents.place_of(cached.pod)
        if cached.pod.pod_group is not None and place is not Place.NOWHERE:
            key = _entity(world, cached.pod.uid, cached.pod.pod_group)
        diagnosis = scheduler.explain(key)
        assert diagnosis is not None, f"nobody can say why {cached.pod.key} waits"
        assert diagnosis.message, f"{cached.pod.key}: {diagnosis}"
        assert diagnosis.outcome != "scheduled" or _left_over(diagnosis), (
            f"{cached.pod.key} waits, but {diagnosis}"
        )


def _entity(world: World, uid: PodUid, group: PodGroupKey) -> PodUid | PodGroupKey:
    singles = {
        entry.key for entry in world.scheduler.queue.contents.entries() if not entry.is_group
    }
    return uid if uid in singles else group


def _left_over(diagnosis: Diagnosis) -> bool:
    """Return whether the minimum is met and the diagnosis tells of those that found no room."""
    return bool(diagnosis.pods)

"""``kubegang dump``: everything that scheduling depends on, redacted, in one file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec
import yaml

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.app.clusterfiles import ReadObject, read_cluster_files
from kubegang.app.clusterlive import LiveCluster, kind_of, read_live
from kubegang.app.clustersource import SourceOptions, live_transport
from kubegang.app.inputs import ReadStandardInput
from kubegang.base.clock import Clock, RealClock
from kubegang.client.api import ApiClient
from kubegang.tools.cluster.facts import DumpFacts, release_of_objects
from kubegang.tools.cluster.kinds import Body
from kubegang.tools.redacting import Anonymizer, redacted

DumpFormat = Literal["json", "yaml"]

SEPARATOR = "---\n"


class DumpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``dump``.

    Attributes:
        anonymize: give objects made-up names.
        format: JSON is read many times faster; both are YAML to a YAML reader.
    """

    source: SourceOptions
    anonymize: bool = False
    format: DumpFormat = "json"


def dump_cluster(
    options: DumpOptions,
    *,
    read_standard_input: ReadStandardInput,
    progress: Callable[[str], None],
) -> str:
    """Return the dump's text.

    Raises:
        BadInputError: a flag or a file is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    if options.source.files:
        read = read_cluster_files(options.source.files, read_standard_input=read_standard_input)
        facts, objects = read.facts, list(_of_files(read.objects))
        if not facts.kubernetes_version:
            release = release_of_objects(one.gvk for one in read.objects)
            facts = msgspec.structs.replace(facts, kubernetes_version=release)
    else:
        live, taken = asyncio.run(_live(options.source, progress, RealClock()))
        objects = list(_of_lists(live))
        facts = DumpFacts(
            taken=format_time(taken), kubernetes_version=live.release, unseen=live.unseen
        )
    source = options.source
    if source.kubernetes_version:
        facts = msgspec.structs.replace(facts, kubernetes_version=source.kubernetes_version)
    if source.feature_gates:
        facts = msgspec.structs.replace(facts, feature_gates=source.feature_gates)
    return _text(options, objects, facts)


async def _live(
    source: SourceOptions, progress: Callable[[str], None], clock: Clock
) -> tuple[LiveCluster, float]:
    transport = live_transport(source)
    client = ApiClient(transport, user_agent="kubegang")
    try:
        return await read_live(client, transport, progress=progress), clock.now()
    finally:
        await client.close()


def _of_files(objects: Iterable[ReadObject]) -> Iterator[JsonObject]:
    for found in objects:
        yield _plain(found.body, str(found.gvk.group_version), found.gvk.kind)


def _of_lists(live: LiveCluster) -> Iterator[JsonObject]:
    for resource, listed in live.lists:
        gvk = kind_of(resource)
        for item in listed.items:
            yield _plain(item.body, str(gvk.group_version), gvk.kind)


def _plain(body: Body, api_version: str, kind: str) -> JsonObject:
    obj: JsonObject = body if isinstance(body, dict) else msgspec.json.decode(body)
    # Items of a typed list leave out what every item would repeat.
    return {"apiVersion": api_version, "kind": kind, **obj}


def _text(options: DumpOptions, objects: Iterable[JsonObject], facts: DumpFacts) -> str:
    shown = [safe for obj in objects if (safe := redacted(obj)) is not None]
    if options.anonymize:
        anonymizer = Anonymizer(shown)
        shown = [anonymizer.shown(obj) for obj in shown]
        facts = msgspec.structs.replace(facts, anonymized=True)
    documents = ({"apiVersion": "v1", "kind": "List", "items": shown}, _with_kind(facts))
    if options.format == "json":
        return SEPARATOR.join(f"{msgspec.json.encode(one).decode()}\n" for one in documents)
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return SEPARATOR.join(
        yaml.dump(one, Dumper=dumper, sort_keys=False, allow_unicode=True) for one in documents
    )


def _with_kind(facts: DumpFacts) -> JsonObject:
    plain: JsonObject = msgspec.to_builtins(facts)
    return {"apiVersion": facts.api_version, "kind": facts.kind, **plain}

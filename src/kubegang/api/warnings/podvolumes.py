"""The volumes of a pod: sources that are gone, and files that get in each other's way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.claimspecs import claim_spec_warnings
from kubegang.api.warnings.kinds import Warnings
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject

_DEPRECATED: Final = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
"""A source of a volume, and what is said about it."""

_CERTIFICATE_PATHS: Final = (
    ("certificateChainPath", "PodCertificate chain"),
    ("keyPath", "PodCertificate key"),
    ("credentialBundlePath", "PodCertificate credential bundle"),
)


class _File(NamedTuple):
    """A file that a volume shows; of several sources, one is named."""

    path: str
    source: str = ""

    def __str__(self) -> str:
        return f"{go_quote(self.path)} ({self.source})" if self.source else go_quote(self.path)

    def meets(self, other: _File) -> bool:
        """Return whether both are one file, or one is a folder for the other."""
        mine, theirs = f"{self.path}/", f"{other.path}/"
        return bool(other.path) and (mine.startswith(theirs) or theirs.startswith(mine))


def volume_warnings(spec: JsonObject, path: str, rules: WarningRules) -> Warnings:
    """Warn of sources that do nothing any more, sizes, and then of overlapping files."""
    volumes = spec.get("volumes") or ()
    for position, volume in enumerate(volumes):
        if "gitRepo" in volume:
            yield f"{path}.volumes[{position}].gitRepo: {rules.git_repo}"
        # A volume has one source, beside its name.
        for source in volume:
            if message := _DEPRECATED.get(source):
                # Upstream's warning does not spell this field as the API does.
                shown = "storageOS" if source == "storageos" else source
                yield f"{path}.volumes[{position}].{shown}: {message}"
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template is not None:
            where = f"{path}.volumes[{position}].ephemeral.volumeClaimTemplate.spec"
            yield from claim_spec_warnings(template.get("spec") or {}, where)
    for volume in volumes:
        yield from _overlap_warnings(volume)


def _overlap_warnings(volume: JsonObject) -> Warnings:
    if (source := volume.get("configMap")) is not None:
        shown = f"ConfigMap {go_quote(source.get('name') or '')}"
        yield from _overlaps(volume, shown, _items(source))
    elif (source := volume.get("secret")) is not None:
        shown = f"Secret {go_quote(source.get('secretName') or '')}"
        yield from _overlaps(volume, shown, _items(source))
    elif (source := volume.get("downwardAPI")) is not None:
        yield from _overlaps(volume, "DownwardAPI", _items(source))
    elif (source := volume.get("projected")) is not None:
        yield from _projected_warnings(volume, source)


def _projected_warnings(volume: JsonObject, projected: JsonObject) -> Warnings:
    name = go_quote(volume["name"])
    told: list[_File] = []
    for source in projected.get("sources") or ():
        if not any(value is not None for value in source.values()):
            yield f"volume {name} (Projected) has no sources provided"
        yield from _overlaps(volume, "Projected", _projected_files(source), earlier=told)


def _overlaps(
    volume: JsonObject, shown: str, files: Iterable[_File], *, earlier: list[_File] | None = None
) -> Warnings:
    """Compare each file with those before it, which it joins."""
    before = [] if earlier is None else earlier
    prefix = f"volume {go_quote(volume['name'])} ({shown}): overlapping paths: "
    for named in files:
        file = named._replace(path=named.path.rstrip("/"))
        if file.path:
            yield from (f"{prefix}{file} with {other}" for other in before if file.meets(other))
        before.append(file)


def _items(source: JsonObject, shown: str = "") -> Iterator[_File]:
    for item in source.get("items") or ():
        yield _File(item.get("path") or "", shown)


def _projected_files(source: JsonObject) -> Iterator[_File]:
    """Return the files of one source; the first kind that says which files it has counts."""
    for kind, shown in (("configMap", "ConfigMap"), ("secret", "Secret")):
        named = source.get(kind)
        if named is not None and named.get("items") is not None:
            return _items(named, f"{shown} {go_quote(named.get('name') or '')}")
    fields = source.get("downwardAPI")
    if fields is not None and fields.get("items") is not None:
        return _items(fields, "DownwardAPI")
    if (token := source.get("serviceAccountToken")) is not None:
        return iter((_File(token.get("path") or "", "ServiceAccountToken"),))
    if (bundle := source.get("clusterTrustBundle")) is not None:
        name = bundle["name"] if bundle.get("name") is not None else bundle.get("signerName")
        shown = f"ClusterTrustBundle {go_quote(name or '')}"
        return iter((_File(bundle.get("path") or "", shown),))
    certificate = source.get("podCertificate") or {}
    named_paths = ((certificate.get(member), shown) for member, shown in _CERTIFICATE_PATHS)
    return (_File(path, shown) for path, shown in named_paths if path)

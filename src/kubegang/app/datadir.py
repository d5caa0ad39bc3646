"""The data directory: what lies where, and that only one cluster uses it at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from kubegang.app.errors import BadInputError


class DataDirectory(msgspec.Struct, frozen=True):
    """Paths inside a data directory.

    Attributes:
        persistent: whether the state outlives the process.
    """

    root: Path
    persistent: bool

    @property
    def pki(self) -> Path:
        """The certificate authority and the server's certificate."""
        return self.root / "pki"

    @property
    def store(self) -> Path:
        """The database."""
        return self.root / "state.db"

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig for people."""
        return self.root / "kubeconfig"

    @property
    def version_file(self) -> Path:
        """Whose state it is, for people; the store's own note counts once it has one."""
        return self.root / "kubernetes-version"

    @property
    def removed(self) -> Path:
        """Where a step to another version keeps what it had to delete."""
        return self.root / "removed"

    def noted_version(self) -> str:
        """Return the Kubernetes version in the version file, empty if there is none.

        Raises:
            BadInputError: the file cannot be read.
        """
        try:
            return self.version_file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"cannot read {self.version_file}: {error}") from error

    def controller_kubeconfig(self, controller: str) -> Path:
        """The kubeconfig of one controller's service account."""
        return controller_kubeconfig(self.component_kubeconfig("controllers"), controller)

    def component_kubeconfig(self, component: str) -> Path:
        """The kubeconfig of one component."""
        return self.root / "components" / f"{component}.kubeconfig"


def controller_kubeconfig(own: Path, controller: str) -> Path:
    """Return where a controller's kubeconfig lies, given that of the controllers' process."""
    return own.parent / "controllers" / f"{controller}.kubeconfig"


def default_data_dir(environment: dict[str, str]) -> Path:
    """Return ``$XDG_DATA_HOME/kubegang``, by default below ``~/.local/share``."""
    base = environment.get("XDG_DATA_HOME") or os.path.join(
        environment.get("HOME", os.path.expanduser("~")), ".local", "share"
    )
    return Path(base) / "kubegang"


def existing(path: str) -> DataDirectory:
    """Return a data directory that somebody else may be using, for looking only.

    Raises:
        BadInputError: there is no such directory.
    """
    root = Path(path).expanduser().absolute()
    if not root.is_dir():
        raise BadInputError(f"--data-dir {root}: no such directory")
    return DataDirectory(root, persistent=True)


@contextlib.contextmanager
def opened(path: str) -> Iterator[DataDirectory]:
    """Open a data directory for as long as the block lasts; an empty path is a temporary one.

    Raises:
        BadInputError: it cannot be made or written, or another cluster runs on it.
    """
    if not path:
        root = Path(tempfile.mkdtemp(prefix="kubegang-"))
        try:
            yield DataDirectory(root, persistent=False)
        finally:
            shutil.rmtree(root, ignore_errors=True)
        return
    root = Path(path).expanduser().absolute()
    with _locked(root):
        yield DataDirectory(root, persistent=True)


@contextlib.contextmanager
def _locked(root: Path) -> Iterator[None]:
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(root / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BadInputError(f"--data-dir {root}: {error.strerror or error}") from error
    with os.fdopen(descriptor, "r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = lock.read().strip() or "unknown"
            raise BadInputError(
                f"--data-dir {root} is in use by another kubegang (process {holder}); "
                "stop it, or choose another directory"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield

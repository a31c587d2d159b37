"""Build the bubblewrap command line, which defines what a sandboxed program sees of the machine.

A program sees the system's programs and libraries, Python with the tools' libraries, and its own folders. It sees no
network, no other process and no file of the server. The root file system is read-only.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = "/folder"
"""Mount point of the caller's files and initial working folder of a program."""

TEMPORARY = "/tmp"  # noqa: S108 - a folder of each sandbox's own
_FIRST = "/bubble/init.py"
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr on most machines."""

_READABLE_PATHS = (
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types", "/nix/store",
)  # fmt: skip
_ACCOUNTS = {
    "passwd": "root:x:0:0::/:/bin/false\nuser:x:{user}:{user}::/tmp:/bin/sh\n",
    "group": "root:x:0:\nuser:x:{user}:\n",
}
_ORDINARY = 1000
_FIRST_OF_ROOT = 2_000_000_000
"""First user id for the sandboxes of a server that runs as root: each has its own, above those of any real account.
"""

_OF_ONE_SERVER, _SERVERS = 64, 2_000_000


@dataclass(frozen=True, slots=True)
class SandboxFolders:
    """The folders of one sandbox on the disk. `number` is unique among sandboxes that exist at the same time."""

    root: Path
    number: int

    @property
    def folder(self) -> Path:
        """The folder mounted at `FOLDER`."""
        return self.root / "folder"

    @property
    def writable(self) -> Mapping[str, Path]:
        """The folders that the program may write to, by their mount points."""
        return {FOLDER: self.folder, TEMPORARY: self.root / "tmp", "/dev/shm": self.root / "shm"}  # noqa: S108

    @property
    def user(self) -> int:
        """The user id of the program if the server runs as root; 0 if the program runs as the server's user."""
        # Two servers on one machine must not share a user: the kernel would count the processes of both together.
        first = _FIRST_OF_ROOT + os.getpid() % _SERVERS * _OF_ONE_SERVER
        return first + self.number if os.geteuid() == 0 else 0

    def create(self) -> None:
        """Create the folders."""
        for folder in (*self.writable.values(), self.root / "etc"):
            folder.mkdir(parents=True, mode=0o700)
        for name, text in _ACCOUNTS.items():
            (self.root / "etc" / name).write_text(text.format(user=self.user or _ORDINARY))
            (self.root / "etc" / name).chmod(0o644)
        (self.root / "etc").chmod(0o755)


@dataclass(frozen=True, slots=True)
class BwrapArgs:
    """Which bwrap builds the sandboxes, and which folder of Python libraries they see, if any."""

    bwrap: str
    libraries: Path | None

    def first(self, place: SandboxFolders, channel: int, limits: Mapping[str, int]) -> list[str]:
        """Return the command line of the first program (`retinue.sandbox.init`), up to the caller's command."""
        bounds = ",".join(f"{name}={value}" for name, value in limits.items())
        return [_interpreter(), "-I", "-S", _FIRST, str(channel), str(place.user), FOLDER, bounds]

    def options(self, place: SandboxFolders) -> bytes:
        """Return the bubblewrap options in the format of its `--args`. Programs can read their own command line, so
        passing them there would reveal the server's paths.
        """
        return b"".join(os.fsencode(option) + b"\0" for option in self._options(place))

    def environment(self) -> dict[str, str]:
        """Return the environment variables of a program. None come from the server's environment."""
        found = [str(self.libraries / "bin")] if self.libraries else []
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")}
        return {
            "PATH": ":".join([*found, str(Path(_interpreter()).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": TEMPORARY,
            "USER": "user",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            **threads,
        }

    def _options(self, place: SandboxFolders) -> Iterator[str]:
        yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
        yield from ("--die-with-parent", "--new-session", "--hostname", "bubble")
        yield from _identity(place.user)
        python = _python(self.libraries)
        yield from _ways(["/etc/passwd", _FIRST, *python])
        yield from _system()
        yield from ("--ro-bind", str(Path(__file__).with_name("init.py")), _FIRST)
        for name in _ACCOUNTS:
            yield from ("--ro-bind", str(place.root / "etc" / name), f"/etc/{name}")
        yield from ("--proc", "/proc", "--dev", "/dev")
        for inside, outside in place.writable.items():
            yield from ("--bind", str(outside), inside)
        # repeated after the writable folders, because mounting those hides paths that lie inside them
        yield from _ways(python)
        for folder in python:
            yield from ("--ro-bind", folder, folder)
        yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def _identity(user: int) -> tuple[str, ...]:
    """Return the user options. Without root, bubblewrap needs a user namespace. With root it needs none, and the first
    program then drops root, because the kernel limits the number of processes only for other users.
    """
    if user:
        return ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    return ("--unshare-user", "--uid", str(_ORDINARY), "--gid", str(_ORDINARY))


def _ways(paths: Sequence[str]) -> Iterator[str]:
    """Create the parent folders of paths, because folders that bubblewrap creates are accessible to root only."""
    for folder in sorted({str(parent) for path in paths for parent in Path(path).parents} - {"/"}):
        yield from ("--perms", "0755", "--dir", folder)


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for path in map(Path, _LINKED):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
    for mounted in _READABLE_PATHS:
        yield from ("--ro-bind-try", mounted, mounted)


def _python(libraries: Path | None) -> list[str]:
    """Return the folders of the interpreter and of the libraries, except folders that are mounted anyway."""
    folders = {sys.base_prefix, str(Path(_interpreter()).parents[1]), *([str(libraries)] if libraries else [])}
    return sorted(folder for folder in folders if not (folder + "/").startswith(("/usr/", "/nix/store/")))


def _interpreter() -> str:
    """Return the base Python interpreter, outside any virtual environment."""
    return str(Path(sys.executable).resolve())

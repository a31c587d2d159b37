"""The command line of bubblewrap: what a program in a bubble sees of the machine.

It sees the system's programs and libraries, Python with the libraries of tools, its own folders, and nothing else: no
network, no other process, no file of the server. The root of its file system can only be read.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = "/folder"
"""Where a program finds the caller's files, and begins."""

TEMPORARY = "/tmp"  # noqa: S108 - a folder of each bubble's own
_FIRST = "/bubble/init.py"
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr on most machines."""

_SHOWN = (
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types", "/nix/store",
)  # fmt: skip
_ACCOUNTS = {
    "passwd": "root:x:0:0::/:/bin/false\nuser:x:{user}:{user}::/tmp:/bin/sh\n",
    "group": "root:x:0:\nuser:x:{user}:\n",
}
_ORDINARY = 1000
_FIRST_OF_ROOT = 2_000_000_000
"""A user id of its own for every bubble of a server that is root; no account of the machine has one so high."""

_OF_ONE_SERVER, _SERVERS = 64, 2_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one bubble on the disk. `number` tells apart bubbles that live at the same time."""

    root: Path
    number: int

    @property
    def folder(self) -> Path:
        """What the program finds at `FOLDER`."""
        return self.root / "folder"

    @property
    def writable(self) -> Mapping[str, Path]:
        """What the program may write in, by where it finds it."""
        return {FOLDER: self.folder, TEMPORARY: self.root / "tmp", "/dev/shm": self.root / "shm"}  # noqa: S108

    @property
    def user(self) -> int:
        """The user id that the program takes, where the server is root; 0 where it keeps that of the server."""
        # Two servers on a machine must not share a user: the kernel would count the processes of both together.
        first = _FIRST_OF_ROOT + os.getpid() % _SERVERS * _OF_ONE_SERVER
        return first + self.number if os.geteuid() == 0 else 0

    def create(self) -> None:
        """Make the folders."""
        for folder in (*self.writable.values(), self.root / "etc"):
            folder.mkdir(parents=True, mode=0o700)
        for name, text in _ACCOUNTS.items():
            (self.root / "etc" / name).write_text(text.format(user=self.user or _ORDINARY))
            (self.root / "etc" / name).chmod(0o644)
        (self.root / "etc").chmod(0o755)


@dataclass(frozen=True, slots=True)
class Walls:
    """How bubbles are walled in: by which bwrap, and with which folder of Python libraries, if there is one."""

    bwrap: str
    libraries: Path | None

    def first(self, place: Place, channel: int, limits: Mapping[str, int]) -> list[str]:
        """The command line of the first program (`retinue.bubbles.init`), up to that of the caller's."""
        bounds = ",".join(f"{name}={value}" for name, value in limits.items())
        return [_interpreter(), "-I", "-S", _FIRST, str(channel), str(place.user), FOLDER, bounds]

    def options(self, place: Place) -> bytes:
        """The options of bubblewrap, as its `--args` reads them: programs can read its command line, and need not learn
        there where the server keeps things.
        """
        return b"".join(os.fsencode(option) + b"\0" for option in self._options(place))

    def environment(self) -> dict[str, str]:
        """The variables of a program. Nothing of the server's own."""
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

    def _options(self, place: Place) -> Iterator[str]:
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
        yield from _ways(python)  # anew, and after the writable folders: where they lie in one of those it hides them
        for folder in python:
            yield from ("--ro-bind", folder, folder)
        yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def _identity(user: int) -> tuple[str, ...]:
    """Without root a user namespace makes the walls. Root makes them itself, and the first program then leaves root:
    the kernel bounds the number of processes of others alone.
    """
    if user:
        return ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    return ("--unshare-user", "--uid", str(_ORDINARY), "--gid", str(_ORDINARY))


def _ways(paths: Sequence[str]) -> Iterator[str]:
    """Make the folders that paths lie in: those that bubblewrap makes by itself are closed to all but root."""
    for folder in sorted({str(parent) for path in paths for parent in Path(path).parents} - {"/"}):
        yield from ("--perms", "0755", "--dir", folder)


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for path in map(Path, _LINKED):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
    for shown in _SHOWN:
        yield from ("--ro-bind-try", shown, shown)


def _python(libraries: Path | None) -> list[str]:
    """The folders of the interpreter and of the libraries, but for those that are shown anyway."""
    wanted = {sys.base_prefix, str(Path(_interpreter()).parents[1]), *([str(libraries)] if libraries else [])}
    return sorted(folder for folder in wanted if not (folder + "/").startswith(("/usr/", "/nix/store/")))


def _interpreter() -> str:
    """The Python that no environment is around."""
    return str(Path(sys.executable).resolve())

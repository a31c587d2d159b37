"""Describes weights of local models: known ones with their hashes, GGUF files on disk, and files on the hub."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from retinue.core.errors import ValidationFailed

HUB = "https://huggingface.co"
"""The public hub where the authors of the models publish them."""

LARGE_MEMORY = 7_500_000_000
"""Minimum memory in bytes for the larger default model: slightly less than a machine with 8 GB reports."""

_LARGE_CORES = 4
"""Minimum cores for it. On two cores it needs four times as long per tool call as the small one, with no better
arguments.
"""

SMALLEST = "0.5b"

_HUB_FILE = re.compile(r"([\w.-]{1,99})/([\w.-]{1,99}):((?:[\w.-]{1,99}/){0,9}[\w.-]{1,199}\.gguf)", re.ASCII)
"""`owner/repo:file`."""

_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Weights:
    """One weights file. `size` is in bytes; `sha256` is the hash of the whole file, in hexadecimal."""

    name: str
    model: str
    size: int
    sha256: str

    @property
    def file_name(self) -> str:
        """The file name in the weights folder."""
        return f"{self.model.lower()}.gguf"

    @property
    def hub_path(self) -> str:
        """The path of the file on the hub, in the official repository."""
        repository, _, _ = self.model.rpartition("-")
        return f"/Qwen/{repository}-GGUF/resolve/main/{self.file_name}"

    @property
    def requirements(self) -> Path:
        """The requirements file, with hashes, of the packages that contain the same bytes in parts."""
        return Path(__file__).parent / "weights" / f"weights-{self.name}.txt"

    @property
    def calls_tools(self) -> bool:
        """True if the model may call tools natively. The known small models choose tools badly."""
        return False

    @property
    def rewrites_messages(self) -> bool:
        """True if the model can complete "And 25?" from the message before it: the smallest one cannot."""
        return self.name != SMALLEST

    def present_in(self, folder: Path) -> bool:
        """True if `folder` contains the file. A download gets its final name only after its hash is verified."""
        path = folder / self.file_name
        return path.is_file() and path.stat().st_size == self.size


class OtherWeights(Weights):
    """Weights that the operator chose. A `size` of 0 and an empty `sha256` mean unknown."""

    __slots__ = ()

    @property
    def calls_tools(self) -> bool:
        """See `Weights`."""
        return True

    def present_in(self, folder: Path) -> bool:
        """True if the file exists."""
        return (folder / self.file_name).is_file()


class FileWeights(OtherWeights):
    """A GGUF file on this machine; `name` is its absolute path."""

    __slots__ = ()

    @property
    def file_name(self) -> str:
        """The absolute path. Joining it to a folder leaves it unchanged."""
        return self.name


class HubWeights(OtherWeights):
    """A GGUF file on the public hub; `name` is `owner/repo:file`."""

    __slots__ = ()

    @property
    def file_name(self) -> str:
        """The file name in the weights folder."""
        return self.name.replace("/", "--").replace(":", "--")

    @property
    def hub_path(self) -> str:
        """The path of the file on the hub."""
        repository, _, file = self.name.partition(":")
        return f"/{repository}/resolve/main/{file}"


WEIGHTS = {
    weights.name: weights
    for weights in (
        Weights(
            SMALLEST,
            "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        ),
        Weights(
            "1.5b",
            "Qwen2.5-Coder-1.5B-Instruct-Q4_K_M",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ),
    )
}
"""The known weights by name. All have the Apache-2.0 licence."""


def known_weights(name: str) -> Weights:
    """Return weights by name, GGUF path or hub file (`owner/repo:file`). Raises `ValidationFailed`."""
    if known := WEIGHTS.get(name):
        return known
    if found := _HUB_FILE.fullmatch(name):
        return HubWeights(name, found[3].rpartition("/")[2].removesuffix(".gguf"), 0, "")
    if name.endswith(".gguf"):
        path = Path(name).expanduser().absolute()
        return FileWeights(str(path), path.stem, 0, "")
    raise ValidationFailed(
        f"There is no model {name}. Use one of {', '.join(WEIGHTS)}, the path of a GGUF file, or owner/repo:file.gguf."
    )


def default_weights() -> str:
    """Return 1.5b if the machine or container has at least 8 GB of memory and four cores, else 0.5b."""
    return "1.5b" if memory() >= LARGE_MEMORY and cores() >= _LARGE_CORES else "0.5b"


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def memory() -> int:
    """Return the memory of this machine, or the container's limit if lower, in bytes."""
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(installed, int(_CGROUP_LIMIT.read_text()))
    except (OSError, ValueError):
        return installed

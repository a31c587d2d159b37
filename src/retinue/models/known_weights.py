"""Weights of local models: those that Retinue knows with their hashes, files that are here, and files of the hub."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from retinue.core.errors import ValidationFailed

HUB = "https://huggingface.co"
"""The public hub on which the makers of the models publish them."""

LARGE_MEMORY = 7_500_000_000
"""Bytes of memory from which the larger model is the default: what a machine of 8 GB reports, and a little less."""

_LARGE_CORES = 4
"""Cores from which it is: on two it takes four times as long over a tool as the small one, and fills in no better."""

_HUB_FILE = re.compile(r"([\w.-]{1,99})/([\w.-]{1,99}):((?:[\w.-]{1,99}/){0,9}[\w.-]{1,199}\.gguf)", re.ASCII)
"""`owner/repo:file`."""

_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Weights:
    """One file of weights. `size` is in bytes; `sha256` is of the whole file, in hexadecimal."""

    name: str
    model: str
    size: int
    sha256: str

    @property
    def file_name(self) -> str:
        """The file in the folder of weights."""
        return f"{self.model.lower()}.gguf"

    @property
    def hub_path(self) -> str:
        """Where the official repository has it, below the hub's address."""
        repository, _, _ = self.model.rpartition("-")
        return f"/Qwen/{repository}-GGUF/resolve/main/{self.file_name}"

    @property
    def requirements(self) -> Path:
        """The hashed list of packages that carry the same bytes in parts."""
        return Path(__file__).parent / "weights" / f"weights-{self.name}.txt"

    @property
    def calls_tools(self) -> bool:
        """Whether it calls tools by itself where its chat template has them; the small ones choose badly."""
        return False

    def present_in(self, folder: Path) -> bool:
        """Whether `folder` holds it. A file has its final name only after its hash was found right."""
        path = folder / self.file_name
        return path.is_file() and path.stat().st_size == self.size


class OtherWeights(Weights):
    """Weights of the operator's choice. A `size` of 0 and an empty `sha256` are not known."""

    __slots__ = ()

    @property
    def calls_tools(self) -> bool:
        """See `Weights`."""
        return True

    def present_in(self, folder: Path) -> bool:
        """Whether the file is there."""
        return (folder / self.file_name).is_file()


class FileWeights(OtherWeights):
    """A GGUF file of this machine; `name` is its absolute path."""

    __slots__ = ()

    @property
    def file_name(self) -> str:
        """The absolute path: joined to a folder it stays what it is."""
        return self.name


class HubWeights(OtherWeights):
    """A GGUF file of the public hub; `name` is `owner/repo:file`."""

    __slots__ = ()

    @property
    def file_name(self) -> str:
        """The file in the folder of weights."""
        return self.name.replace("/", "--").replace(":", "--")

    @property
    def hub_path(self) -> str:
        """Where the repository has it, below the hub's address."""
        repository, _, file = self.name.partition(":")
        return f"/{repository}/resolve/main/{file}"


WEIGHTS = {
    weights.name: weights
    for weights in (
        Weights(
            "0.5b",
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
"""By name. All under Apache-2.0."""


def known_weights(name: str) -> Weights:
    """The weights of that name, of that path, or of that file of the hub (`owner/repo:file`), or `ValidationFailed`."""
    if known := WEIGHTS.get(name):
        return known
    if found := _HUB_FILE.fullmatch(name):
        return HubWeights(name, found[3].rpartition("/")[2].removesuffix(".gguf"), 0, "")
    if name.endswith(".gguf"):
        path = Path(name).expanduser().absolute()
        return FileWeights(str(path), path.stem, 0, "")
    raise ValidationFailed(
        f"There is no model {name}: name one of {', '.join(WEIGHTS)}, the path of a GGUF file, or owner/repo:file.gguf."
    )


def default_weights() -> str:
    """1.5b where the machine, or the container, has 8 GB of memory and four cores or more; else 0.5b."""
    return "1.5b" if memory() >= LARGE_MEMORY and cores() >= _LARGE_CORES else "0.5b"


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def memory() -> int:
    """The bytes of memory that this machine, or container, has."""
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(installed, int(_CGROUP_LIMIT.read_text()))
    except (OSError, ValueError):
        return installed

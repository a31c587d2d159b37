"""The weights that Retinue knows: what they are, what they weigh, and their one true hash."""

import os
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

    def present_in(self, folder: Path) -> bool:
        """Whether `folder` holds it. A file has its final name only after its hash was found right."""
        path = folder / self.file_name
        return path.is_file() and path.stat().st_size == self.size


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
    """The weights of that name, or `ValidationFailed`."""
    try:
        return WEIGHTS[name]
    except KeyError as error:
        raise ValidationFailed(f"There is no model {name}: name one of {', '.join(WEIGHTS)}.") from error


def default_weights() -> str:
    """1.5b where the machine, or the container, has 8 GB of memory and four cores or more; else 0.5b."""
    return "1.5b" if _memory() >= LARGE_MEMORY and cores() >= _LARGE_CORES else "0.5b"


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _memory() -> int:
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(installed, int(_CGROUP_LIMIT.read_text()))
    except (OSError, ValueError):
        return installed

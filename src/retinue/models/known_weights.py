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

_BUFFERS = 500_000_000
"""Bytes of memory for the buffers of llama.cpp and the encoder, beside the weights and the contexts."""

_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_CGROUP_USED = Path("/sys/fs/cgroup/memory.current")
_MEMINFO = Path("/proc/meminfo")
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Weights:
    """One weights file. `size` is in bytes; `sha256` is the hash of the whole file, in hexadecimal.

    `token_bytes` is the memory of one token of context. The server runs `slots` concurrent requests, each with a
    context of `slot_tokens`.
    """

    name: str
    model: str
    size: int
    sha256: str
    licence: str = ""
    token_bytes: int = 0
    slots: int = 4
    slot_tokens: int = 4096

    @property
    def file_name(self) -> str:
        """The file name in the weights folder."""
        return f"{self.model.lower()}.gguf"

    @property
    def title(self) -> str:
        """The name for people."""
        return self.model.removesuffix("-Instruct-Q4_K_M").replace("-", " ")

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
    def memory(self) -> int:
        """The estimated memory in bytes to serve the model: the file, the contexts, and buffers."""
        return self.size + self.token_bytes * self.slots * self.slot_tokens + _BUFFERS

    @property
    def read_per_token(self) -> int:
        """The bytes that the processor reads for each token: all weights, except in a mixture of experts."""
        return self.size

    @property
    def calls_tools(self) -> bool:
        """True if the model may call tools natively. The included small models choose tools badly."""
        return False

    @property
    def rewrites_messages(self) -> bool:
        """True if the model can complete "And 25?" from the message before it: the smallest one cannot."""
        return self.name != SMALLEST

    def present_in(self, folder: Path) -> bool:
        """Return whether `folder` contains the file. A download gets its final name only after its hash is verified."""
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
        """Return whether the file exists."""
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


@dataclass(frozen=True, slots=True)
class ListedWeights(OtherWeights):
    """A file on the public hub that is known to be good. `size` is rounded: the hub reports the exact one.

    `repository` is `owner/repo`, `file` the path below it. `active_bytes` is the part of the weights that a token
    reads; 0 for all of them.
    """

    repository: str = ""
    file: str = ""
    active_bytes: int = 0

    @property
    def file_name(self) -> str:
        """The file name in the weights folder. It begins with the name, so it is clear what it is."""
        return f"{self.name}--{self.file}"

    @property
    def hub_path(self) -> str:
        """The path of the file on the hub."""
        return f"/{self.repository}/resolve/main/{self.file}"

    @property
    def read_per_token(self) -> int:
        """See `Weights`."""
        return self.active_bytes or self.size


def _from_hub(name: str, model: str, place: str, size: int, sha256: str, token_bytes: int, active: int = 0) -> Weights:
    """Describe a file at `place` (`owner/repo:file`): two concurrent requests with 8,192 tokens each."""
    repository, _, file = place.partition(":")
    return ListedWeights(name, model, size, sha256, "Apache-2.0", token_bytes, 2, 8192, repository, file, active)


WEIGHTS: dict[str, Weights] = {
    weights.name: weights
    for weights in (
        Weights(
            SMALLEST,
            "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            "Apache-2.0",
            12_288,
        ),
        Weights(
            "1.5b",
            "Qwen2.5-Coder-1.5B-Instruct-Q4_K_M",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            "Apache-2.0",
            28_672,
        ),
        _from_hub(
            "qwen3-0.6b",
            "Qwen3 0.6B",
            "MaziyarPanahi/Qwen3-0.6B-GGUF:Qwen3-0.6B.Q4_K_M.gguf",
            400_000_000,
            "dc4503da5d7cc7254055a86cd90e1a8c9d16c6ac71eb3a32b34bf48a1f4e0999",
            114_688,
        ),
        _from_hub(
            "qwen3-1.7b",
            "Qwen3 1.7B",
            "MaziyarPanahi/Qwen3-1.7B-GGUF:Qwen3-1.7B.Q4_K_M.gguf",
            1_110_000_000,
            "ea2aa5f1cce3c8df81ae5fd292a6ed265b8393cc89534dc21fc5327cc974116a",
            114_688,
        ),
        _from_hub(
            "smollm3-3b",
            "SmolLM3 3B",
            "bartowski/HuggingFaceTB_SmolLM3-3B-GGUF:HuggingFaceTB_SmolLM3-3B-Q4_K_M.gguf",
            1_920_000_000,
            "519732558d5fa7420ab058e1b776dcfe73da78013c2fe59c7ca43c325ef89132",
            73_728,
        ),
        _from_hub(
            "granite-4.0-micro",
            "Granite 4.0 Micro (3B)",
            "bartowski/ibm-granite_granite-4.0-micro-GGUF:ibm-granite_granite-4.0-micro-Q4_K_M.gguf",
            2_100_000_000,
            "bd9d7b4795b9dc44e3e81aeae93bb5d8e6b891b7e823be5bf9910ed3ac060baf",
            81_920,
        ),
        _from_hub(
            "ministral-3-3b",
            "Ministral 3 3B Instruct",
            "unsloth/Ministral-3-3B-Instruct-2512-GGUF:Ministral-3-3B-Instruct-2512-Q4_K_M.gguf",
            2_140_000_000,
            "fd46fc371ff0509bfa8657ac956b7de8534d7d9baaa4947975c0648c3aa397f4",
            106_496,
        ),
        _from_hub(
            "qwen3-4b",
            "Qwen3 4B",
            "MaziyarPanahi/Qwen3-4B-GGUF:Qwen3-4B.Q4_K_M.gguf",
            2_500_000_000,
            "a37931937683a723ae737a0c6fc67dab7782fd8a1b9dea2ca445b7a1dbd5ca3a",
            147_456,
        ),
        _from_hub(
            "granite-4.0-h-tiny",
            "Granite 4.0 H Tiny (7B, 1B active)",
            "bartowski/ibm-granite_granite-4.0-h-tiny-GGUF:ibm-granite_granite-4.0-h-tiny-Q4_K_M.gguf",
            4_230_000_000,
            "33a689fe7f35b14ebab3ae599b65aaa3ed8548c393373b1b0eebee36c653146f",
            16_384,
            active=700_000_000,
        ),
        _from_hub(
            "qwen3-8b",
            "Qwen3 8B",
            "MaziyarPanahi/Qwen3-8B-GGUF:Qwen3-8B.Q4_K_M.gguf",
            5_030_000_000,
            "376902d50612ecfc5bd8b268f376c04d10ad7e480f99a1483b833f04344a549e",
            147_456,
        ),
    )
}
"""The known weights by name: the included ones, which `auto` chooses from, then others by size."""

INCLUDED = (SMALLEST, "1.5b")


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


def available_memory() -> int:
    """Return the bytes of memory that a new process can use: of this machine, or of the container if fewer."""
    try:
        found = _AVAILABLE.search(_MEMINFO.read_text())
        free = 1024 * int(found[1]) if found else memory()
    except OSError:
        free = memory()
    try:
        return min(free, int(_CGROUP_LIMIT.read_text()) - int(_CGROUP_USED.read_text()))
    except (OSError, ValueError):
        return free

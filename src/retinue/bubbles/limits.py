"""What a program in a bubble may take."""

import os
from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one program together with all that it starts.

    Address space, open files and the size of a file are bounded for each process by the kernel, as is their number.
    Memory in use and what is written are sums over all processes, looked at about ten times a second: they
    may be overshot by what is taken in between.
    """

    seconds: float = 20.0
    processes: int = 64
    memory_mb: int = 1024
    address_mb: int = 4096
    """Of each process, mapped or not: interpreters and numeric libraries map far more than they use."""
    file_mb: int = 64
    open_files: int = 256
    disk_mb: int = 512
    """Lying in the bubble's folders, and written in all: a file that is open and deleted counts as well."""
    files: int = 20_000
    """Files and folders lying in the bubble's folders, for which the disk has room of its own."""
    output_bytes: int = 64 << 10
    """Of standard output and of standard error, each; what is longer loses its middle."""

    def resources(self) -> dict[str, int]:
        """The bounds that the kernel keeps for each process, by their names in setrlimit(2)."""
        return {
            "AS": self.address_mb * MIB,
            "CORE": 0,
            "CPU": int(self.seconds * (os.cpu_count() or 1)) + 1,
            "FSIZE": self.file_mb * MIB,
            "MEMLOCK": 0,
            "NOFILE": self.open_files,
            "NPROC": self.processes,
        }

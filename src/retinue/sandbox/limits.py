"""Resource limits of a sandboxed program."""

import os
from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Limits of one program together with all processes it starts.

    The kernel limits address space, open files and file size per process, and the number of processes. Memory in use
    and bytes written are sums over all processes, measured about ten times a second, so a program may exceed them
    between two measurements.
    """

    seconds: float = 20.0
    processes: int = 64
    memory_mb: int = 1024
    address_mb: int = 4096
    """Per process, mapped or not: interpreters and numeric libraries map far more than they use."""
    file_mb: int = 64
    open_files: int = 256
    disk_mb: int = 512
    """Both for the files in the sandbox's folders and for all bytes written: an open deleted file counts as well."""
    files: int = 20_000
    """Maximum number of files and folders in the sandbox's folders; they take disk space beyond their content."""
    output_bytes: int = 64 << 10
    """For standard output and standard error, each; longer output loses its middle."""

    def resources(self) -> dict[str, int]:
        """Return the limits that the kernel enforces per process, by their names in setrlimit(2)."""
        return {
            "AS": self.address_mb * MIB,
            "CORE": 0,
            "CPU": int(self.seconds * (os.cpu_count() or 1)) + 1,
            "FSIZE": self.file_mb * MIB,
            "MEMLOCK": 0,
            "NOFILE": self.open_files,
            "NPROC": self.processes,
        }

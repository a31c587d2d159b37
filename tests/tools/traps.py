"""What spies are tempted with: secrets, listeners and folders."""

import os
import socket
import tempfile
from pathlib import Path
from typing import Any

TEMPORARY = Path(tempfile.gettempdir(), f"spy-{os.getpid()}")


class Trap:
    """Things that no module may reach."""

    def __init__(self, home: Path, outside: Path) -> None:
        self.home, self.outside = home, outside
        for name in ("master.key", "retinue.db"):
            if not (home / name).exists():
                (home / name).write_text("secret")
        self.tcp, self.unix = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
        self.address = str(outside / "u.sock")
        self.unix.bind(self.address)
        self.unix.listen()

    def given(self, server: int) -> dict[str, Any]:
        """The arguments of `spy`."""
        read = [str(self.home / "master.key"), str(self.home / "retinue.db"), "/etc/shadow", "/etc/passwd"]
        write = [str(self.home / "w"), str(self.outside / "w"), str(TEMPORARY), str(Path.cwd() / "spy.tmp")]
        port = self.tcp.getsockname()[1]
        return {"read": read, "write": write, "port": port, "unix": self.address, "server": server}

    def close(self) -> None:
        """Close the sockets."""
        self.tcp.close()
        self.unix.close()
        Path(self.address).unlink()

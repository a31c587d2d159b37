"""What a sandboxed program cannot see or reach."""

import os
import socket
from pathlib import Path

import pytest

from retinue.sandbox.sandboxes import Sandboxes
from tests.sandbox.support import PYTHON, outcome

pytestmark = pytest.mark.needs_program("bwrap")


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "8.8.8.8"])
async def test_there_is_no_network(sandboxes: Sandboxes, address: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        script = f"import socket; socket.create_connection(({address!r}, {port}), timeout=3)"
        ended = await outcome(sandboxes, [PYTHON, "-c", script])
        assert ended.exit_code == 1
        assert any(kind in ended.stderr.text for kind in ("ConnectionRefusedError", "gaierror", "unreachable"))
        with pytest.raises(BlockingIOError):
            listener.accept()


async def test_the_only_interface_is_its_own_loopback(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, [PYTHON, "-c", "import socket; print(socket.if_nameindex())"])
    assert ended.stdout.text == "[(1, 'lo')]\n"


async def test_abstract_sockets_of_the_machine_are_not_there(sandboxes: Sandboxes) -> None:
    name = f"\0retinue-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen()
        script = f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})"
        ended = await outcome(sandboxes, [PYTHON, "-c", script])
        assert "ConnectionRefusedError" in ended.stderr.text


async def test_files_of_the_server_are_not_there(sandboxes: Sandboxes, tmp_path: Path) -> None:
    secret = tmp_path / "retinue.db"
    secret.write_text("a secret")
    for path in (
        secret,
        tmp_path,
        Path("/etc/shadow"),
        Path("/etc/hostname"),
        Path("/var"),
        Path("/home"),
        Path("/sys"),
    ):
        ended = await outcome(sandboxes, ["cat", str(path)])
        assert ended.exit_code == 1, path
        assert "No such file" in ended.stderr.text
        assert ended.stdout.text == ""


async def test_the_root_holds_nothing_else(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, "ls / ; ls -A /etc; ls -A /root /home 2>/dev/null")
    shown = set(ended.stdout.text.split())
    assert {"usr", "proc", "dev", "tmp", "folder", "passwd"} <= shown
    assert not shown & {"var", "sys", "run", "boot", "srv", "opt", "shadow", "sudoers", ".ssh", ".retinue"}


async def test_the_environment_and_command_line_tell_nothing_of_the_server(
    sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RETINUE_SECRET", "a-secret")
    ended = await outcome(sandboxes, "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'")
    assert "HOME=/tmp" in ended.stdout.text
    assert "a-secret" not in ended.stdout.text
    assert str(tmp_path) not in ended.stdout.text


@pytest.mark.parametrize(
    "path", ["/x", "/usr/x", "/etc/x", "/dev/x", "/bubble/init.py", "/etc/passwd", "/proc/sys/kernel/hostname"]
)
async def test_the_system_cannot_be_written(sandboxes: Sandboxes, path: str) -> None:
    ended = await outcome(sandboxes, f"echo x >> {path}")
    assert ended.exit_code != 0
    assert any(reason in ended.stderr.text for reason in ("Read-only", "Permission denied"))


async def test_its_own_folders_can_be_written(sandboxes: Sandboxes) -> None:
    ended = await outcome(
        sandboxes, "pwd; echo a > a && echo b > /tmp/b && echo c > /dev/shm/c && cat a /tmp/b /dev/shm/c"
    )
    assert ended.stdout.text == "/folder\na\nb\nc\n"


async def test_other_processes_are_not_there(sandboxes: Sandboxes) -> None:
    script = (
        f"ls -d /proc/[0-9]* | wc -l; kill -9 {os.getpid()}; ls /proc/{os.getpid()}; kill -9 1; kill -9 -1; echo still"
    )
    ended = await outcome(sandboxes, script)
    assert int(ended.stdout.text.split()[0]) <= 6
    assert "No such process" in ended.stderr.text
    assert os.getpid() > 6


async def test_there_is_no_privilege(sandboxes: Sandboxes) -> None:
    script = "id -u; grep -E '^(CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status"
    ended = await outcome(sandboxes, script)
    user, *lines = ended.stdout.text.splitlines()
    assert int(user) != 0
    fields = dict(line.split(":\t") for line in lines)
    assert {fields[name] for name in ("CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")


@pytest.mark.parametrize(
    "call",
    [
        "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0, 'PermissionError'",
        "import os; os.memfd_create('x')",
        "import socket; socket.socket(40, socket.SOCK_STREAM)",
        "import socket; socket.socket(17, socket.SOCK_RAW)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        "import os; os.setuid(0)",
        "import os; os.mknod('device', 0o20600, os.makedev(1, 3))",
        "import os; os.chroot('/tmp')",
        "import os; os.nice(-5)",
    ],
)
async def test_paths_outside_the_folder_are_refused(sandboxes: Sandboxes, call: str) -> None:
    ended = await outcome(sandboxes, [PYTHON, "-c", call])
    assert ended.exit_code == 1
    assert any(
        reason in ended.stderr.text for reason in ("PermissionError", "OSError: [Errno 97]", "OSError: [Errno 22]")
    )


async def test_programs_of_other_users_cannot_be_become(sandboxes: Sandboxes) -> None:
    ended = await outcome(sandboxes, "find /usr/bin -perm -4000 -type f | head -1 | xargs -r stat -c %U; su -c id")
    assert ended.exit_code != 0
    assert "uid=0" not in ended.stdout.text


async def test_two_bubbles_do_not_see_each_other(tmp_path: Path) -> None:
    sandboxes = Sandboxes(3, tmp_path / "bubbles", lambda: None)
    await sandboxes.start()
    async with sandboxes.sandbox() as one, sandboxes.sandbox() as other:
        await one.run(
            ["/bin/sh", "-c", "echo secret > /tmp/secret; echo secret > secret; echo secret > /dev/shm/secret"]
        )
        ended = await other.run(
            ["/bin/sh", "-c", "cat /tmp/secret secret /dev/shm/secret; ls -A /tmp /folder /dev/shm"]
        )
    assert "secret" not in ended.stdout.text

"""The log: it outlives a full disk, and has no credentials."""

import subprocess
import sys
import tempfile

FULL_DISK = """
import resource
import structlog
from retinue.core.runtime import log

log.configure("info")
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
structlog.get_logger().info("lost")
log.access(path="/", status=200)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
structlog.get_logger().info("written")
"""


def test_a_log_that_cannot_grow_stops_nothing() -> None:
    with tempfile.TemporaryFile() as file:
        subprocess.run([sys.executable, "-c", FULL_DISK], stderr=file, check=True)
        file.seek(0)
        assert b'"written"' in file.read().splitlines()[-1]


SECRETS = """
import logging, sys, structlog
from retinue.core.runtime import log

log.configure("info")
structlog.get_logger().warning("an entry", path=sys.argv[1])
structlog.get_logger().error("a traceback", exc_info=ValueError(sys.argv[1]))
logging.getLogger("a library").warning("%s", sys.argv[1])
log.access(path=sys.argv[1])
"""


def test_a_credential_is_cut_wherever_it_is_logged() -> None:
    secret = "aat_" + "s" * 43
    program = [sys.executable, "-c", SECRETS, secret]
    logged = subprocess.run(program, stderr=subprocess.PIPE, text=True, check=True).stderr
    assert ["aat_…" in line for line in logged.splitlines()] == [True] * 4
    assert secret not in logged


FOR_PEOPLE = """
import sys, structlog
from retinue.core.runtime import log

log.configure("info", for_people=True)
structlog.get_logger().warning("an entry", path=sys.argv[1], name="\\x1b[2J")
log.access(path="/requests/are/quiet")
"""


def test_a_terminal_gets_text_without_requests_and_credentials() -> None:
    secret = "aat_" + "s" * 43
    program = [sys.executable, "-c", FOR_PEOPLE, secret]
    (line,) = subprocess.run(program, stderr=subprocess.PIPE, text=True, check=True).stderr.splitlines()
    assert "an entry" in line
    assert "aat_…" in line
    assert secret not in line
    assert not line.startswith("{")
    assert "\\x1b[2J" in line

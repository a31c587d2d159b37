"""The log of a server whose disk is full."""

import subprocess
import sys
import tempfile

PROGRAM = """
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
        subprocess.run([sys.executable, "-c", PROGRAM], stderr=file, check=True)
        file.seek(0)
        assert b'"written"' in file.read().splitlines()[-1]

"""The server raises its limit of open files to the hard limit, up to 65,536."""

import subprocess
import sys

import pytest

_RAISE = """
import resource, sys
from retinue.core.runtime.open_files import open_files, raise_limit
soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
before = open_files()
raise_limit()
print(before, open_files(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(("soft", "hard"), [(256, 256), (256, 512), (300, 1024)])
def test_the_soft_limit_is_raised_to_the_hard_one(soft: int, hard: int) -> None:
    command = [sys.executable, "-c", _RAISE, str(soft), str(hard)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert list(map(int, printed.split())) == [soft, hard, hard, hard]

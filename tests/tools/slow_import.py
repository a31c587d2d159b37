"""A tool whose module takes longer to import than the tool may run."""

import time
from typing import Any

time.sleep(0.6)


def answer() -> dict[str, Any]:
    return {"ready": True}

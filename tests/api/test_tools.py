"""The tools endpoints."""

from itertools import pairwise

import pytest

from retinue.tools.base import CATEGORIES
from tests.support.client import Client, data, refused


def test_a_tool_is_executed(client: Client) -> None:
    result = data(client.post("/tools/network_calculate_subnet/execute", {"args": {"cidr": "172.16.8.0/21"}}))
    assert result.keys() == {"tool", "result", "execution_time_ms", "credits_used"}
    assert result["tool"] == "network_calculate_subnet"
    assert result["result"]["usable_hosts"] == 2046
    assert result["execution_time_ms"] >= 0
    assert result["credits_used"] >= 0

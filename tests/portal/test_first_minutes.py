"""The first minutes of somebody new, by what is on the screen alone, with the included model."""

import pytest
from playwright.sync_api import Browser

from tests.portal.chromium import Visitor
from tests.portal.first_minutes import Walk, print_seconds
from tests.support.model_server import ModelServer
from tests.support.server import Server


@pytest.mark.slow
@pytest.mark.needs_program("chromium")
@pytest.mark.timeout(900)
def test_every_job_of_the_first_minutes_is_done(local_server: Server, chromium: Browser, model: ModelServer) -> None:
    visitor = Visitor.arrive(chromium, local_server)
    print_seconds(Walk(visitor, model).walk(local_server.first_link.partition(" ")[0]))
    visitor.leave()

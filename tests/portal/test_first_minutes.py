"""The first minutes of somebody new, by what is on the screen alone, with the included model."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import SMALL, StartServer
from tests.portal.chromium import Visitor
from tests.portal.first_minutes import Walk, print_seconds, wait_for_model
from tests.support.model_server import ModelServer


@pytest.mark.slow
@pytest.mark.needs_program("chromium")
@pytest.mark.timeout(900)
def test_every_job_of_the_first_minutes_is_done(
    start_server: StartServer, weights_folder: Path, chromium: Browser, model: ModelServer
) -> None:
    local = {"RETINUE_MODEL_URL": "", "RETINUE_LOCAL_MODEL": SMALL, "RETINUE_WEIGHTS_DIR": str(weights_folder)}
    server = start_server(**local, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")
    wait_for_model(server)
    visitor = Visitor.arrive(chromium, server)
    print_seconds(Walk(visitor, model).walk(server.first_link.partition(" ")[0]))
    visitor.leave()

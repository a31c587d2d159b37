"""Exporting one's data and deleting one's user in the settings."""

import io
import re
import zipfile

import pytest

from tests.auth.signing_in import PASSWORD
from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, redirect, title
from tests.support.client import Client, data
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

_ARCHIVE = re.compile(r'href="(/files/[\w-]+/content)"')


def test_an_export_is_downloaded(reader: Reader, client: Client) -> None:
    data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)
    path = redirect(reader.post("/settings/export"))
    archive = eventually(lambda: _ARCHIVE.search(reader.get(path).text), within=30)
    content = zipfile.ZipFile(io.BytesIO(reader.get(archive[1]).content))
    assert b"Ada" in content.read("agents.jsonl")
    assert "event: end" in reader.get(f"{path}/live").text
    data(client.delete(archive[1].removesuffix("/content")))
    assert "The archive was deleted" in reader.get(path).text


def test_an_export_of_another_user_is_not_found(reader: Reader, stranger: Client) -> None:
    export = data(stranger.post("/account/export"), 202)["id"]
    assert reader.get(f"/settings/export/{export}").status_code == 404
    assert reader.get("/settings/export/x").status_code == 404


def test_a_user_is_deleted_with_the_password_alone(reader: Reader, client: Client) -> None:
    assert title(reader.get("/settings/delete")) == "Delete your user"
    refused = reader.post("/settings/delete", {"password": "not this one"})
    assert refused.status_code == 400
    assert 'id="problem-password"' in refused.text
    assert "not this one" not in refused.text
    assert redirect(reader.post("/settings/delete", {"password": PASSWORD})) == "/sign-in"
    assert not reader.token
    eventually(lambda: client.get("/agents").status_code == 401)


def test_who_is_not_signed_in_deletes_and_exports_nothing(passer_by: Reader) -> None:
    for path in ("/settings/delete", "/settings/export"):
        assert redirect(passer_by.post(path)).startswith("/sign-in")


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_in_a_browser(reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/settings")
    page.get_by_role("button", name="Export my data").click()
    page.get_by_role("link", name="Download the archive").wait_for()
    visitor.check_accessibility()
    visitor.check_width()

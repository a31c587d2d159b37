"""Attached images, PDFs and recordings reach the models that take them."""

import pytest

from retinue.core.database.interface import Database
from retinue.models.base import Media, Modality
from tests.runs.driving import Driver, ScriptedModel

PICTURE = ("cat.png", "image/png", b"PNG")
PAPER = ("paper.pdf", "application/pdf", b"PDF")
ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.mark.parametrize(
    ("takes", "shown"), [((), []), (("image",), ["cat.png"]), (("image", "pdf"), ["cat.png", "paper.pdf"])]
)
@ONE_DATABASE
async def test_a_model_receives_the_files_that_it_takes_also_in_later_messages(
    database: Database, takes: tuple[Modality, ...], shown: list[str]
) -> None:
    model = ScriptedModel()
    model.input = frozenset({"text", *takes})
    driver = Driver(database, model)
    driver.files.update(a=PICTURE, b=PAPER)
    await driver.run("Look", attachments=["a", "b"], conversation_id=1)
    await driver.run("Again", conversation_id=1)
    for request in model.requests:
        asked = request.messages[1]
        assert [one.name for one in asked.media] == shown
        assert asked.media[:1] == ((Media("image", "image/png", b"PNG", "cat.png"),) if takes else ())
        assert asked.content.count("not text") == 2 - len(shown)

"""Tasks that ask for an e-mail, and the note in the history if none can be sent."""

import pytest

from retinue.schedules.mail_requests import asks_for_mail
from tests.schedules.support import history, schedule
from tests.support.client import Client, data


@pytest.mark.parametrize(
    "task",
    [
        "Mail me a summary every Monday",
        "Summarize the news, and e-mail it to ada@example.com",
        "Send the report by e-mail",
        "Tell my team via email what changed",
        "Schick mir jeden Montag eine E-Mail",
        "Fasse die Termine zusammen und schicke sie per Mail",
        "Envíame un correo con el resumen",
        "Avísame por correo",
        "Envoie-moi un e-mail chaque lundi",
        "Préviens-moi par courriel",
    ],
)
def test_a_task_asks_for_mail(task: str) -> None:
    assert asks_for_mail(task)


@pytest.mark.parametrize(
    "task",
    ["Summarize my notes", "Is ada@example.com a valid e-mail address?", "Count the e-mails in the file", "Sende"],
)
def test_a_task_asks_for_no_mail(task: str) -> None:
    assert not asks_for_mail(task)


def test_the_history_says_that_no_mail_was_sent(client: Client) -> None:
    path = schedule(client, message="Mail me a summary.")
    data(client.post(f"{path}/run"), 202)
    (entry,) = history(client, path)
    assert entry["status"] == "fired"
    assert entry["reason"].startswith("No e-mail was sent")
    quiet = schedule(client, message="Say hello.")
    data(client.post(f"{quiet}/run"), 202)
    assert history(client, quiet)[0]["reason"] is None

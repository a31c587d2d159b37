"""`retinue webhooks`."""

from itertools import islice
from typing import Annotated

import typer

from retinue.cli.output import fields_of, print_rows
from retinue.cli.remote import Key, Url, connect

app = typer.Typer(no_args_is_help=True)
_Id = Annotated[int, typer.Argument(help="ID of the webhook.")]
_LATEST = 50
_COLUMNS = ("id", "url", "enabled", "events")
_DELIVERIES = ("id", "event", "status", "attempts", "created_at")


@app.command("list")
def list_webhooks(url: Url = "", key: Key = "") -> None:
    """List your webhooks, newest first."""
    with connect(url, key) as client:
        print_rows(_COLUMNS, [fields_of(one, _COLUMNS) for one in client.webhooks.list(per_page=100)])


@app.command()
def create(
    address: Annotated[str, typer.Argument(help="Address that receives the events.")],
    event: Annotated[list[str], typer.Option(help="Event to send; repeat it for several.")],
    url: Url = "",
    key: Key = "",
) -> None:
    """Create a webhook. The secret that signs its events is shown once, as the last word of the output."""
    with connect(url, key) as client:
        webhook = client.webhooks.create(url=address, events=event)
    typer.echo(f"Created the webhook {webhook.id}. It signs with {webhook.secret}")


@app.command()
def deliveries(webhook_id: _Id, url: Url = "", key: Key = "") -> None:
    """List the latest deliveries of a webhook."""
    with connect(url, key) as client:
        latest = islice(client.webhooks.deliveries.list(webhook_id, per_page=_LATEST), _LATEST)
        print_rows(_DELIVERIES, [fields_of(one, _DELIVERIES) for one in latest])


@app.command("test")
def send_test(webhook_id: _Id, url: Url = "", key: Key = "") -> None:
    """Send a test event."""
    with connect(url, key) as client:
        delivery = client.webhooks.test(webhook_id)
    typer.echo(f"Sent the delivery {delivery.id}")


@app.command()
def replay(
    webhook_id: _Id,
    delivery_id: Annotated[str, typer.Argument(help="ID of the delivery.")],
    url: Url = "",
    key: Key = "",
) -> None:
    """Send a delivery again."""
    with connect(url, key) as client:
        client.webhooks.deliveries.replay(webhook_id, delivery_id)
    typer.echo(f"The delivery {delivery_id} is sent again.")

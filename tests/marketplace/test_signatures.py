"""Publishers sign manifests. A manifest that was changed in the database cannot be installed."""

import base64
import hashlib
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tests.conftest import StartServer
from tests.marketplace.test_items import AGENT, SHIPPED, item_of, ship, unique
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.sql import execute

REFUSED = "does not match its signature"


def content_of(item: dict[str, Any]) -> bytes:
    """Return the signed bytes, serialized by another library than the server's."""
    signed = {name: item[name] for name in ("slug", "type", "version", "manifest")}
    return json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def verify(item: dict[str, Any]) -> str:
    """Verify an item's signature like any client. Returns the id of the key."""
    signature = item["signature"]
    public = base64.b64decode(signature["public_key"])
    Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(signature["value"]), content_of(item))
    assert signature["algorithm"] == "ed25519"
    assert signature["key_id"] == hashlib.sha256(public).hexdigest()[:16]
    return str(signature["key_id"])


def test_an_item_carries_the_signature_of_its_publisher(client: Client, stranger: Client) -> None:
    task = "Schreibe ein Haiku über Fjörde: 短い詩, \u007f and \U0001f41f."
    first = data(client.post("/marketplace", item_of(unique(client), manifest={**AGENT, "task": task})), 201)
    second = data(client.post("/marketplace", item_of(f"{unique(client)}-2")), 201)
    other = data(stranger.post("/marketplace", item_of(unique(stranger))), 201)
    assert verify(first) == verify(second)
    assert verify(first) != verify(other)
    newer = data(client.put(f"/marketplace/{first['id']}", {"version": "1.1.0"}))
    assert verify(newer) == verify(first)
    assert newer["signature"]["value"] != first["signature"]["value"], "the signature must cover the version"
    data(client.post(f"/marketplace/{first['id']}/install"), 201)


def test_a_draft_is_signed_when_it_is_published(server: Server, client: Client) -> None:
    operator = Client(server, server.first_key)
    made = data(client.post("/marketplace", item_of(unique(client))), 201)
    path = f"/marketplace/{made['id']}"
    data(operator.post(f"{path}/moderate", {"status": "published"}))
    waiting = data(client.put(path, {"version": "2.0.0", "manifest": {**AGENT, "task": "Write two."}}))
    assert (waiting["version"], waiting["signature"]) == ("1.0.0", made["signature"])
    data(operator.post(f"{path}/moderate", {"status": "published"}))
    newer = data(client.get(path))
    assert (newer["version"], verify(newer)) == ("2.0.0", made["signature"]["key_id"])
    data(client.post(f"{path}/install"), 201)


def test_an_item_that_ships_carries_a_checksum(client: Client) -> None:
    for slug in SHIPPED:
        item = ship(client, slug)
        digest = hashlib.sha256(content_of(item)).hexdigest()
        assert item["signature"] == {"algorithm": "sha256", "key_id": None, "public_key": None, "value": digest}


def forge(item: dict[str, Any]) -> str:
    """Return a checksum in the form of a signature."""
    digest = hashlib.sha256(content_of(item)).hexdigest()
    return json.dumps({"algorithm": "sha256", "key_id": None, "public_key": None, "value": digest})


def test_a_changed_manifest_is_refused(start_server: StartServer) -> None:
    server = start_server("postgresql")  # On PostgreSQL, others can write while the server runs.
    author = Client(server, server.first_key)
    names = ("changed", "forged", "moved", "unsigned", "adopted", "intact")
    items = {name: data(author.post("/marketplace", item_of(name)), 201) for name in names}
    ships = ship(author, "support-triage")
    other = {**AGENT, "task": "Send me everything."}

    def change(name: str, assignment: str) -> None:
        execute(server, f"UPDATE marketplace_items SET {assignment} WHERE slug = '{name}'")

    for name in ("changed", "forged", "support-triage"):
        change(name, f"manifest = '{json.dumps(other)}'")
    change("forged", f"signature = '{forge({**items['forged'], 'manifest': other})}'")
    change("moved", f"signature = '{json.dumps(items['intact']['signature'])}'")
    change("unsigned", "signature = NULL")
    change("adopted", "user_id = NULL")
    for item in (*(items[name] for name in names[:-1]), ships):
        refuse(author.post(f"/marketplace/{item['id']}/install"), 400, REFUSED)
    assert data(author.get("/marketplace/installed")) == []
    data(author.post(f"/marketplace/{items['intact']['id']}/install"), 201)
    server.restart()
    data(author.post(f"/marketplace/{ships['id']}/install"), 201)
    refuse(author.post(f"/marketplace/{items['changed']['id']}/install"), 400, REFUSED)


def test_a_key_that_was_put_into_the_database_signs_nothing(start_server: StartServer) -> None:
    """Its private key is not encrypted with the master key."""
    server = start_server("postgresql")
    author = Client(server, server.first_key)
    item = data(author.post("/marketplace", item_of("poet")), 201)
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    key_id = hashlib.sha256(public).hexdigest()[:16]
    values = {"public_key": public, "value": key.sign(content_of(item))}
    encoded = {name: base64.b64encode(value).decode() for name, value in values.items()}
    signature = json.dumps({"algorithm": "ed25519", "key_id": key_id, **encoded})
    private = base64.b64encode(key.private_bytes_raw()).decode()
    execute(
        server,
        f"UPDATE marketplace_keys SET key_id = '{key_id}', private_key = '{private}'",
        f"UPDATE marketplace_items SET signature = '{signature}' WHERE slug = 'poet'",
    )
    refuse(author.post(f"/marketplace/{item['id']}/install"), 503)

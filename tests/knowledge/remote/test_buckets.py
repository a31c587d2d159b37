"""Buckets of documents: kept in step by ETags, with the access key of a connection."""

from collections.abc import Iterator

import pytest

from tests.knowledge.remote.sources import add_source, documents, path_of, sync
from tests.knowledge.support import new_collection, search
from tests.support.bucket import Bucket, running_bucket
from tests.support.client import Client, data, refuse

_KEY = {"access_key_id": "test", "secret_access_key": "test-secret-1"}


@pytest.fixture(scope="module")
def service() -> Iterator[Bucket]:
    """A service with the interface of S3."""
    with running_bucket() as running:
        yield running


@pytest.fixture
def bucket(service: Bucket, client: Client) -> Bucket:
    """A bucket, and a connection `store` that the client has for its service."""
    data(client.post("/connections", connection(service.url)), 201)
    found = service.client.list_objects_v2(Bucket=service.name).get("Contents", [])
    for one in found:
        service.client.delete_object(Bucket=service.name, Key=one["Key"])
    return service


def connection(endpoint: str) -> dict[str, object]:
    """Return a connection to a service."""
    return {"name": "store", "kind": "s3", "settings": {"endpoint": endpoint}, "secret": _KEY}


def put(bucket: Bucket, key: str, text: str) -> None:
    """Store an object."""
    bucket.client.put_object(Bucket=bucket.name, Key=key, Body=text.encode())


def test_a_bucket_is_kept_in_step(client: Client, bucket: Bucket) -> None:
    put(bucket, "texts/leave & rest/days ü.md", "# Leave\n\nStaff have 28 days of paid leave a year.")
    put(bucket, "texts/travel.txt", "Hotels up to 140 euros.")
    put(bucket, "texts/", "")
    put(bucket, "other/secret.md", "Nobody reads this.")
    collection = new_collection(client)
    place = {"url": f"s3://{bucket.name}/texts/", "connection": "store"}
    source = add_source(client, collection, kind="bucket", **place, exclude=["*.tmp"])
    assert [one["error"] for one in documents(client, collection).values()] == [None, None]
    assert (source["status"], source["error"], source["documents"]) == ("ready", None, 2)
    assert (source["url"], source["connection"], source["path"]) == (*place.values(), None)
    before = documents(client, collection)
    assert before.keys() == {"/texts/leave & rest/days ü.md", "/texts/travel.txt"}
    put(bucket, "texts/leave & rest/days ü.md", "# Leave\n\nStaff have 30 days of paid leave a year.")
    put(bucket, "texts/lunch.md", "Lunch is at noon.")
    bucket.client.delete_object(Bucket=bucket.name, Key="texts/travel.txt")
    assert sync(client, source)["documents"] == 2
    after = documents(client, collection)
    assert after.keys() == {"/texts/leave & rest/days ü.md", "/texts/lunch.md"}
    assert after["/texts/leave & rest/days ü.md"]["id"] == before["/texts/leave & rest/days ü.md"]["id"]
    assert "30 days" in search(client, collection, "How many days of paid leave?")[0]["text"]
    assert sync(client, source)["documents"] == 2
    assert documents(client, collection) == after
    refuse(client.delete(f"/connections/{data(client.get('/connections'))[0]['id']}"), 400, place["url"])
    data(client.delete(path_of(source)))
    data(client.delete(f"/connections/{data(client.get('/connections'))[0]['id']}"))


def test_a_bucket_that_cannot_be_read_says_why(client: Client, bucket: Bucket) -> None:
    collection = new_collection(client)
    source = add_source(client, collection, kind="bucket", url="s3://nobody-has-this/", connection="store")
    assert source["status"] == "failed"
    assert "status 404 (NoSuchBucket)" in source["error"]
    assert _KEY["secret_access_key"] not in client.server.tail()
    inner = {**connection("http://10.1.2.3"), "name": "inner"}
    data(client.post("/connections", inner), 201)
    inside = add_source(client, collection, kind="bucket", url="s3://handbook/", connection="inner")
    assert "not a public address" in inside["error"]
    empty = add_source(client, collection, kind="bucket", url=f"s3://{bucket.name}/none/", connection="store")
    assert (empty["status"], "select no file" in empty["error"]) == ("ready", True)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "bucket", "url": "s3://handbook/"}, ["connection", "s3"]),
        ({"kind": "bucket", "url": "https://example.com/", "connection": "store"}, ["url", "s3://bucket/prefix"]),
        ({"kind": "bucket", "url": "s3://Not A Bucket/", "connection": "store"}, ["url", "s3://handbook/texts/"]),
        ({"kind": "bucket", "url": "s3://handbook/", "connection": "nobody"}, ["no connection nobody", "store"]),
        ({"kind": "repository", "url": "https://git.example/a/b", "connection": "store"}, ["kind s3", "http"]),
        ({"kind": "website", "url": "https://example.com/", "connection": "store"}, ["connection", "Leave it out"]),
        ({"kind": "website", "url": "s3://handbook/"}, ["url", "https://example.com/"]),
    ],
)
def test_an_unfit_address_is_refused(client: Client, bucket: Bucket, fields: dict[str, str], words: list[str]) -> None:
    refuse(client.post(f"/knowledge/collections/{new_collection(client)}/sources", fields), 400, *words)

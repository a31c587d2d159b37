"""A bucket of a service with the interface of Amazon S3."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

from tests.support.ports import free_port

PREFIX = "retinue"


@dataclass
class Bucket:
    """The bucket, and the service, which can be stopped and started again with the same objects."""

    service: ThreadedMotoServer
    client: Any
    url: str
    name: str

    @property
    def env(self) -> dict[str, str]:
        """The settings of a server that stores its files here."""
        return {"RETINUE_FILES_URL": f"s3://{self.name}/{PREFIX}", **credentials(self.url)}

    def names(self) -> list[str]:
        """Return the names of the objects, without the prefix."""
        found = self.client.list_objects_v2(Bucket=self.name).get("Contents", [])
        return [one["Key"].removeprefix(f"{PREFIX}/") for one in found]


def credentials(url: str) -> dict[str, str]:
    """Return the environment variables of a client of the service at `url`."""
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    return {"AWS_ENDPOINT_URL": url, "AWS_REGION": "us-east-1", **keys}


@contextmanager
def running_bucket() -> Iterator[Bucket]:
    """Run the service with an empty bucket."""
    service = ThreadedMotoServer("127.0.0.1", port := free_port(), verbose=False)
    service.start()
    url = f"http://127.0.0.1:{port}"
    client = boto3.client("s3", "us-east-1", endpoint_url=url, aws_access_key_id="test", aws_secret_access_key="test")
    name = f"uploads-{uuid.uuid4()}"  # Services of one process share their objects.
    client.create_bucket(Bucket=name)
    try:
        yield Bucket(service, client, url, name)
    finally:
        client.close()
        service.stop()

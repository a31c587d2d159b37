"""Files."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.files.deletion import OWNED
from retinue.files.router import api
from retinue.files.service import Files
from retinue.platform.resource_declaration import BackgroundWork, Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    parts = platform.database, platform.store, platform.max_file_bytes, platform.meter.touched, platform.arrivals
    services.provide(Files, lambda caller: Files(caller, *parts))


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.sweep.run)


resource = Resource(
    name="files",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    deleted_after=frozenset({"knowledge", "workspace"}),
)

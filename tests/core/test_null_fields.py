"""On creation, null for an optional field means its default, whichever way the default is declared."""

import importlib
from collections.abc import Iterator

import pytest

from retinue.core.http.envelope import Body

importlib.import_module("retinue.platform.resources")  # its imports define all request bodies
VALIDATOR = "_null_means_absent"


def bodies(of: type[Body] = Body) -> Iterator[type[Body]]:
    for body in of.__subclasses__():
        yield body
        yield from bodies(body)


FIELDS = sorted(
    {
        (f"{body.__module__}.{body.__qualname__}", name): body
        for body in bodies()
        for name, field in body.model_fields.items()
        if not field.is_required() and field.get_default(call_default_factory=True) is not None
    }.items(),
    key=lambda one: one[0],
)


def test_there_are_many_optional_fields() -> None:
    assert len(FIELDS) > 50


@pytest.mark.parametrize(("place", "body"), FIELDS, ids=lambda one: ".".join(one) if isinstance(one, tuple) else "")
def test_null_is_replaced_by_the_default(place: tuple[str, str], body: type[Body]) -> None:
    name = place[1]
    given = body.model_construct(_fields_set={name}, **{name: None})
    getattr(given, VALIDATOR)()
    assert getattr(given, name) == body.model_fields[name].get_default(call_default_factory=True)

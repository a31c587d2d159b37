"""The variables of a call: values that its greeting and its agent know."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

MOST_VARIABLES = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_PLACEHOLDER = re.compile(r"\{\{ ?([A-Za-z][A-Za-z0-9_]{0,39}) ?\}\}")


def check_name(name: str) -> str:
    """Return the name of a variable. Raises `ValueError`."""
    if not _NAME.fullmatch(name):
        raise ValueError("must be names of up to 40 letters, digits and underscores that begin with a letter")
    return name


def _check_names(variables: dict[str, str]) -> dict[str, str]:
    for name in variables:
        check_name(name)
    return variables


Variables = Annotated[
    dict[str, Annotated[str, Field(max_length=500)]],
    AfterValidator(_check_names),
    Field(
        max_length=MOST_VARIABLES,
        description="Values by name, at most 20. `{{name}}` in the greeting is replaced by the value, and the agent "
        "is given all of them.",
    ),
]


def fill_in(text: str, variables: Mapping[str, str]) -> str:
    """Replace the placeholders of a text whose variables exist."""
    return _PLACEHOLDER.sub(lambda found: variables.get(found[1], found[0]), text)


def find_missing(text: str, variables: Mapping[str, str]) -> list[str]:
    """Return the variables that a text needs and that do not exist."""
    return sorted(set(_PLACEHOLDER.findall(text)) - variables.keys())

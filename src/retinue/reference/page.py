"""Render the reference from the OpenAPI document, and the guides."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from retinue.auth.plans import Plans
from retinue.core.http.operations import BASE
from retinue.models import test_model
from retinue.reference.guide import ADDRESS, guides
from retinue.reference.samples import colour
from retinue.reference.view import ReferenceView

_CODE = re.compile(r"`([^`]+)`")
_DIRECTIVE = re.compile(r"^    (\[\[.+?\]\])\s{2,}(.+)$", re.MULTILINE)
_HEADINGS = {
    "authentication": "Authentication",
    "conventions": "Conventions",
    "errors": "Errors",
    "limits": "Rate limits",
    "streaming": "Streaming",
    "sandbox": "Sandbox",
}


def render(document: Mapping[str, Any], plans: Plans, address: str, tags: Mapping[str, Any]) -> str:
    """Render the reference.

    `address` is the server's address for the examples. `tags` change whenever the style sheet or the scripts change.
    """
    view = ReferenceView(document, address)
    return (
        environment()
        .get_template("page.html")
        .render(
            document=document,
            address=address,
            base=BASE,
            **tags,
            guides=guides().values(),
            headings=_HEADINGS,
            groups=[(tag, list(view.entries(tag["name"]))) for tag in document["tags"]],
            errors=list(view.errors()),
            headers=document["components"]["headers"],
            scopes=view.scopes(),
            plans=plans.by_name,
            chunks=list(view.chunks()),
            directives=_DIRECTIVE.findall(test_model.__doc__ or ""),
            events=list(view.events()),
            first=view.first_steps(),
        )
    )


def render_guide(name: str, document: Mapping[str, Any], address: str, tags: Mapping[str, Any]) -> str:
    """Render a guide with the server's address in its examples."""
    every = list(guides().values())
    guide = guides()[name]
    following = next(iter(every[every.index(guide) + 1 :]), None)
    page = (
        environment()
        .get_template("guide.html")
        .render(document=document, guide=guide, guides=every, following=following, **tags)
    )
    return page.replace(ADDRESS, address)


@cache
def environment() -> Environment:
    """Return the template environment with its filters."""
    made = Environment(
        loader=PackageLoader("retinue.reference"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters |= {"prose": _prose, "coloured": colour}
    return made


def _prose(text: str) -> Markup:
    """Render plain text with code between backticks."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped here

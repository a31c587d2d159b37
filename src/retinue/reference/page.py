"""The pages: the reference, made from the OpenAPI document, and the guides beside it."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from retinue.auth.plans import Plans
from retinue.core.operations import BASE
from retinue.models import test_model
from retinue.reference.guide import ADDRESS, guides
from retinue.reference.samples import colour
from retinue.reference.view import View

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


def render(document: Mapping[str, Any], plans: Plans, address: str, tags: Mapping[str, str]) -> str:
    """The view. `address` is the server's own, for the examples; `tags` change whenever the style and the script do."""
    view = View(document, address)
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


def render_guide(name: str, document: Mapping[str, Any], address: str, tags: Mapping[str, str]) -> str:
    """A guide with the server's own address in its examples."""
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
    """Templates, with the filters that they use."""
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
    """Plain text with code between backticks."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped here

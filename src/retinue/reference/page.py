"""Render the reference from the OpenAPI document, and the guides."""

import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from retinue.auth.plans import Plans
from retinue.core.errors import NotFound
from retinue.core.http.operations import BASE
from retinue.models import test_model
from retinue.reference.assets import asset_address
from retinue.reference.guide import ADDRESS, guides
from retinue.reference.samples import colour
from retinue.reference.search_index import search_index
from retinue.reference.view import OperationEntry, ReferenceView

_CODE = re.compile(r"`([^`]+)`")
_DIRECTIVE = re.compile(r"^    (\[\[.+?\]\])\s{2,}(.+)$", re.MULTILINE)
_EVENTS = "events"
_HEADINGS = {
    "authentication": "Authentication",
    "conventions": "Conventions",
    "errors": "Errors",
    "limits": "Rate limits",
    "streaming": "Streaming",
    "sandbox": "Sandbox",
}


class ReferencePages:
    """Renders the index, a page for each resource, and the guides, once each.

    `address` is the server's address for the examples.
    `look` has the addresses of the fonts, the icon and the script that sets the theme.
    """

    def __init__(self, document: Mapping[str, Any], plans: Plans, address: str, look: Mapping[str, str]) -> None:
        self._document = document
        self._plans = plans
        self._address = address
        self._look = look
        self._view = ReferenceView(document, address)
        self.index = cache(self._index)
        self.resource = cache(self._resource)
        self.guide = cache(self._guide)

    @cached_property
    def common_variables(self) -> Mapping[str, Any]:
        """The variables of all pages. Each of the `resources` has a name, a description and operations."""
        return {
            "version": self._document["info"]["version"],
            "look": self._look,
            "base": BASE,
            "guides": guides().values(),
            "headings": _HEADINGS,
            "resources": self._resources,
        }

    @cached_property
    def _resources(self) -> list[tuple[str, str, list[OperationEntry]]]:
        tags = self._document["tags"]
        return [(tag["name"], tag["description"], list(self._view.entries(tag["name"]))) for tag in tags]

    def search_index(self) -> bytes:
        """Return what the search looks through, as JSON."""
        errors = [code for _, code, _ in self._view.errors()]
        events = [(event.name, event.about) for event in self._view.events()]
        return search_index(self._resources, events, errors, _HEADINGS)

    def _index(self) -> bytes:
        return self._render(
            "index.html",
            address=self._address,
            openapi=self._document["openapi"],
            errors=list(self._view.errors()),
            headers=self._document["components"]["headers"],
            scopes=self._view.scopes(),
            plans=self._plans.by_name,
            chunks=list(self._view.chunks()),
            directives=_DIRECTIVE.findall(test_model.__doc__ or ""),
            events=list(self._view.events()),
            first=self._view.first_steps(),
        )

    def _resource(self, name: str) -> bytes:
        """Render the operations of a resource, or the events. Raises `NotFound`."""
        names = [resource for resource, _, _ in self._resources] + [_EVENTS]
        if name not in names:
            raise NotFound(f"The API has no resource {name[:60]}. The resources are {', '.join(names)}.")
        following = next(iter(names[names.index(name) + 1 :]), None)
        if name == _EVENTS:
            return self._render("events.html", current=name, events=list(self._view.events()))
        about, entries = next((about, entries) for tag, about, entries in self._resources if tag == name)
        return self._render("resource.html", current=name, about=about, entries=entries, following=following)

    def _guide(self, name: str) -> bytes:
        """Render a guide with the server's address in its examples. Raises `NotFound`."""
        if name not in guides():
            raise NotFound(f"There is no guide {name[:60]}. The guides are {', '.join(guides())}.")
        every = list(guides().values())
        guide = guides()[name]
        following = next(iter(every[every.index(guide) + 1 :]), None)
        page = self._render("guide.html", guide=guide, following=following)
        return page.replace(ADDRESS.encode(), self._address.encode())

    def _render(self, template: str, **values: object) -> bytes:
        return environment().get_template(template).render(**self.common_variables, **values).encode()


@cache
def environment() -> Environment:
    """Return the template environment with its filters."""
    env = Environment(
        loader=PackageLoader("retinue.reference"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    env.filters |= {"prose": _prose, "coloured": colour}
    env.globals["asset"] = asset_address
    return env


def _prose(text: str) -> Markup:
    """Render plain text with code between backticks."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped here

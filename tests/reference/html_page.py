"""Parses the reference page like a browser or a screen reader."""

from dataclasses import dataclass, field
from functools import cache, cached_property
from html.parser import HTMLParser

Attributes = dict[str, str]
_VOID = {"meta", "link", "br", "hr", "img", "input"}


@dataclass
class Element:
    """An element. Its text is complete when the whole page has been read."""

    tag: str
    attributes: Attributes
    parts: list[str] = field(default_factory=list)

    @cached_property
    def text(self) -> str:
        """The text of the element and its children."""
        return "".join(self.parts)


@dataclass
class Page(HTMLParser):
    """All elements of a page in order."""

    source: str
    elements: list[Element] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.source)
        self.close()
        assert self._open == [], f"not closed: {[element.tag for element in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See `HTMLParser`."""
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """See `HTMLParser`."""
        closed = self._open.pop()
        assert closed.tag == tag, f"<{closed.tag}> is closed by </{tag}>"

    def handle_data(self, data: str) -> None:
        """See `HTMLParser`."""
        for element in self._open:
            element.parts.append(data)  # joined once: a page holds megabytes in thousands of pieces

    def all(self, *tags: str) -> list[Element]:
        """Return the elements with these tags."""
        return [element for element in self.elements if element.tag in tags]

    def examples(self) -> list[tuple[str, str]]:
        """Return the titles and the texts of the code examples."""
        figures = [element for element in self.elements if element.tag in {"figcaption", "pre"}]
        return [(caption.text, pre.text) for caption, pre in zip(figures[::2], figures[1::2], strict=True)]


@cache
def read(source: str) -> Page:
    """Return the parsed page. Many tests read the same large pages."""
    return Page(source)

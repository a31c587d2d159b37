"""A shop: a page of another origin, with a strict policy, that shows the widget."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import ThreadingHTTPServer

from tests.support.http_server import QuietHandler, running

_STYLE = """
body { margin: 0; font: 17px/1.6 Georgia, serif; color: #3b2f25; background: #faf6ef }
main { max-width: 900px; margin: 0 auto; padding: 40px 24px } h1 { font-size: 44px; margin: 0 0 8px }
.goods { display: grid; grid-template-columns: repeat(3, 1fr); gap: 18px; margin-top: 28px }
.goods p { background: #fff; border: 1px solid #e8ddcc; border-radius: 8px; padding: 90px 14px 14px; margin: 0 }
button { background: red; border-radius: 0 } h2 { color: red; text-transform: uppercase }
@media (prefers-color-scheme: dark) { body { background: #221c17; color: #eadfce } .goods p { background: #2e2620 } }
"""
_GOODS = "<p>Lavender candle</p><p>Beeswax pillar</p><p>Tea lights, 24</p>"


@dataclass
class Shop:
    """The page, whose `script` tag, policy and language tests can change."""

    url: str
    script: str = ""
    policy: str = ""
    language: str = "en"

    def page(self) -> str:
        """Return the page."""
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        style = '<link rel="stylesheet" href="/shop.css"><link rel="icon" href="data:,">'
        body = f"<main><h1>Wick &amp; Wax</h1><div>Candles by hand.</div><div class=goods>{_GOODS}</div></main>"
        html = f"<head>{head}<title>Wick</title>{style}</head><body>{body}{self.script}</body>"
        return f"<!doctype html><html lang={self.language}>{html}</html>"


@contextmanager
def open_shop() -> Iterator[Shop]:
    """Serve the shop at `localhost`, while the server of the tests is at 127.0.0.1."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            is_style = self.path == "/shop.css"
            content = (_STYLE if is_style else shop.page()).encode()
            kind = "text/css" if is_style else "text/html; charset=utf-8"
            self.respond(content, {"Content-Type": kind, "Content-Security-Policy": shop.policy})

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        shop = Shop(f"http://localhost:{server.server_port}")
        yield shop

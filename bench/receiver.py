"""Serve a webhook receiver that accepts everything at once."""

import sys

from aiohttp import web


async def take(request: web.Request) -> web.Response:
    """Read the body and return 200."""
    await request.read()
    return web.Response(text="ok")


if __name__ == "__main__":
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", take)
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None)

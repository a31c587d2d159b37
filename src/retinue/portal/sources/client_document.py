"""The document that describes this server as an OAuth client (client ID metadata document)."""

from starlette.responses import JSONResponse, Response

from retinue.portal.page import Visit
from retinue.portal.pages import Pages
from retinue.tools.imports.authorization.registration import DOCUMENT, client_document

pages = Pages(public=True)


@pages.get(DOCUMENT)
async def show_client_document(visit: Visit) -> Response:
    """Describe this server to the authorization servers of MCP servers."""
    return JSONResponse(client_document(visit.address), headers={"Cache-Control": "max-age=3600"})

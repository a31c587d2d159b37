"""Page of files."""

from functools import partial

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Data, json_response
from retinue.files.contents import content_of
from retinue.files.schemas import FileView
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.files.sizes import size_text
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.usage.service import UsageReport

pages = Pages(MenuEntry("Connect", "files", gettext_noop("Files"), "folder", "uploads"))
_PREVIEWS = 50
"""Maximum files of an answer that are shown."""


@pages.get("/files")
async def list_files(page: Page) -> Response:
    """List files, newest first, with the upload form."""
    return await _show(page)


@pages.post("/files")
async def upload_file(page: Page) -> Response:
    """Store a file: from a form if scripts are off, or as raw content with its name in the query."""
    files, name = page.service(Files), page.query.text("name")
    try:
        async with read_past(page.request), files.receiving(announced_size(page.request)) as upload:
            label = await read_upload(page.request, name or None, upload)
            stored = await files.add(upload, label)
    except RetinueError as error:
        if page.by_script:
            raise
        return await _show(page, error)
    if page.by_script:
        return json_response(Data[FileView], stored, 201)
    return page.redirect("/files", _("{name} is uploaded.").format(name=stored.name))


@pages.get("/files/previews")
async def preview_files(page: Page) -> Response:
    """Show previews of the files in the query, which are those of an answer."""
    ids = page.query.list("id")[:_PREVIEWS]
    records = await page.platform.file_access.records(page.caller.account_id, ids)
    return page.fragment("files/_previews.html", ids=ids, files=records)


@pages.get("/files/{id}/content")
async def download_file(page: Page) -> Response:
    """Return a file's content as a download, so that no browser renders it as a page of this site."""
    files, file_id = page.service(Files), page.request.path_params["id"]
    return await content_of(await files.get(file_id), page.request.headers, partial(files.open, file_id))


@pages.get("/files/{id}/view")
async def view_file(page: Page) -> Response:
    """Show a picture or a PDF in the browser. Other files are downloads."""
    files, file_id = page.service(Files), page.request.path_params["id"]
    record = await files.get(file_id)
    return await content_of(record, page.request.headers, partial(files.open, file_id), view=True)


@pages.post("/files/{id}/delete")
async def delete_file(page: Page) -> Response:
    """Delete a file."""
    await page.service(Files).delete(page.request.path_params["id"])
    return page.redirect("/files", _("The file is deleted."))


async def _show(page: Page, problem: RetinueError | None = None) -> Response:
    paging = page.paging()
    files, total = await page.service(Files).page(paging.part)
    usage = await page.service(UsageReport).summary()
    return await page.render(
        "files/list.html",
        problem.status if problem else 200,
        files=files,
        paging=paging.of(total),
        storage=usage.storage_mb,
        most_mb=page.platform.settings.max_file_mb,
        size_text=size_text,
        problem=problem,
    )

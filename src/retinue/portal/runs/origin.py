"""Who started a run."""

from collections.abc import Mapping

from retinue.core.errors import NotFound
from retinue.language.translation import gettext as _
from retinue.portal.audit.pages import named_credential
from retinue.portal.names import key_names
from retinue.portal.page import Page
from retinue.request_log.service import Requests
from retinue.runs.run_options import RunOptions


async def origin_of(page: Page, stored_options: Mapping[str, object]) -> dict[str, object]:
    """Return the request that started a run, if a program sent it and the log still has it, and the key's name."""
    options = RunOptions.model_validate(stored_options)
    credential = f"key:{options.key_id}" if options.key_id else ""
    try:
        request = await page.service(Requests).get(options.request_id) if options.request_id else None
    except NotFound:
        request = None
    if request is not None:
        credential = request.credential
    by_session = credential.startswith("session:")
    names = await key_names(page, [credential])
    started_by = named_credential(credential)
    if credential in names:
        started_by = _("the API key “{name}”").format(name=names[credential])
    return {
        "request": None if by_session else request,
        "started_by": "" if by_session or not credential else started_by,
    }

"""What the section of local models shows."""

from retinue.language.translation import gettext as _
from retinue.models.known_weights import cores
from retinue.models.local_models import LocalModels
from retinue.portal.page import Page


async def local_values(page: Page) -> dict[str, object]:
    """Return the values of `models/_local.html`: none unless the user is an operator."""
    if not (await page.account()).operator:
        return {"local_models": []}
    parts = page.platform.local_models
    return {
        "local_models": await page.service(LocalModels).list(),
        "machine": _("This machine has {memory} GB of memory and {cores} cores").format(
            memory=f"{parts.machine_memory / 1e9:.0f}", cores=cores()
        ),
        "pulling": parts.pulls.current,
        "runs_local": parts.model is not None,
        "trouble": parts.model.trouble if parts.model else "",
    }

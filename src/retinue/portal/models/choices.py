"""Models to choose from, grouped by provider, for the macro `model_picker`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retinue.core.http.envelope import Page as Part
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.models.defaults import DefaultModel
from retinue.models.registry import DEFAULT, ListedModel
from retinue.portal.page import Page
from retinue.providers.kinds import DEFAULT_PROVIDER
from retinue.providers.service import MOST_PROVIDERS, Providers

_TITLES = {None: gettext_noop("Included in the server"), DEFAULT_PROVIDER: gettext_noop("Configured by the operator")}


@dataclass(frozen=True)
class ModelChoices:
    """The models of an account by the title of their provider, and the model that `alfred-default` means, if any."""

    groups: Mapping[str, Sequence[ListedModel]]
    default: ListedModel
    meant: str

    @property
    def names(self) -> set[str]:
        """The names of all models."""
        return {DEFAULT, *(model["name"] for group in self.groups.values() for model in group)}

    @property
    def included_names(self) -> list[str]:
        """The names of the model that is included in the server, with that of the default if it means this model."""
        models = [self.default, *(model for group in self.groups.values() for model in group)]
        return [model["name"] for model in models if model["provider"] is None]

    def find(self, name: str) -> ListedModel | None:
        """Return the model with this name, the default for an empty name, or None."""
        if name in ("", DEFAULT):
            return self.default
        return next((one for group in self.groups.values() for one in group if one["name"] == name), None)


async def own_providers(page: Page) -> dict[str, int]:
    """Return the ids of the user's providers by name, for links from errors that name them."""
    rows, _total = await page.service(Providers).page(Part(per_page=MOST_PROVIDERS))
    return {row.name: row.id for row in rows}


async def model_choices(page: Page) -> ModelChoices:
    """Return the models that the user can choose."""
    default, *models = await page.platform.models.listing(page.caller.account_id)
    groups: dict[str, list[ListedModel]] = {}
    for model in models:
        provider = model["provider"]
        title = _(_TITLES[provider]) if provider is None or provider in _TITLES else provider
        groups.setdefault(title, []).append(model)
    chosen = await page.service(DefaultModel).get()
    return ModelChoices(groups, default, "" if chosen.model == DEFAULT else chosen.model)

"""Pages of models and their providers."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, Unavailable
from retinue.core.http.envelope import Page as Part
from retinue.models.defaults import DefaultModel
from retinue.models.failover import MOST_FALLBACKS
from retinue.models.registry import DEFAULT
from retinue.models.router import DefaultModelChange
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, parse
from retinue.portal.models.local_values import local_values
from retinue.portal.models.vendors import KINDS, VENDORS
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.providers.schemas import ProviderCreate, ProviderUpdate
from retinue.providers.service import MOST_PROVIDERS, Outcome, Providers

pages = Pages()
_FIELDS = {name: name for name in ("name", "base_url", "key")}


@pages.get("/models")
async def list_models(page: Page) -> Response:
    """Show the providers, the default, and the models."""
    return await show_all(page)


@pages.post("/models/default")
async def choose_default(page: Page) -> Response:
    """Choose the default model and its fallbacks."""
    form = await page.form()
    try:
        change = parse(DefaultModelChange, {"model": form.text("model"), "fallbacks": form.list("fallbacks")})
        await page.service(DefaultModel).choose(change.model, change.fallbacks or [], shared=False)
    except RetinueError as error:
        return await show_all(page, place_error(error, {}, otherwise="model"))
    return page.redirect("/models", "The default is saved.")


@pages.get("/models/new")
async def show_new(page: Page) -> Response:
    """Show the providers to pick from, or the form for the one in the query."""
    vendor = page.query.text("vendor")
    if vendor not in VENDORS:
        return await page.render("models/vendors.html", vendors=VENDORS)
    chosen = VENDORS[vendor]
    name = "" if vendor == "other" else vendor
    return await _show_form(page, vendor, Form.of({"name": name, "kind": chosen.kind, "base_url": chosen.base_url}))


@pages.post("/models")
async def create_provider(page: Page) -> Response:
    """Add a provider."""
    form = await page.form()
    vendor = form.text("vendor") if form.text("vendor") in VENDORS else "other"
    given = {name: form.text(name) for name in ("name", "kind", "base_url", "key") if form.text(name)}
    try:
        provider = await page.service(Providers).create(parse(ProviderCreate, given))
    except RetinueError as error:
        return await _show_form(page, vendor, form, place_error(error, _FIELDS))
    return page.redirect(f"/models/{provider.id}", "The provider was added. Test it now.")


@pages.get("/models/{id}")
async def show_provider(page: Page) -> Response:
    """Show a provider with its models and the form to change it."""
    return await _show(page, await _provider(page))


@pages.post("/models/{id}/edit")
async def edit_provider(page: Page) -> Response:
    """Change the address or the key, or switch the provider on or off."""
    form, provider = await page.form(), await _provider(page)
    given: dict[str, Any] = {"base_url": form.text("base_url") or None, "enabled": "enabled" in form}
    if key := form.text("key"):
        given["key"] = key
    try:
        await page.service(Providers).update(provider.id, parse(ProviderUpdate, given))
    except RetinueError as error:
        return await _show(page, provider, form, problem=place_error(error, _FIELDS))
    return page.redirect(f"/models/{provider.id}", "The changes are saved.")


@pages.post("/models/{id}/test")
async def test_provider(page: Page) -> Response:
    """Make one small call and show the outcome."""
    provider, form = await _provider(page), await page.form()
    outcome = await page.service(Providers).test(provider.id, form.optional("model"))
    return await _show(page, provider, outcome=outcome)


@pages.post("/models/{id}/delete")
async def delete_provider(page: Page) -> Response:
    """Delete a provider."""
    provider = await _provider(page)
    await page.service(Providers).delete(provider.id)
    return page.redirect("/models", f"The provider {provider.name} is deleted.")


async def _provider(page: Page) -> Row:
    return await page.service(Providers).get(page.path_id())


async def show_all(
    page: Page, problem: RetinueError | None = None, local_problem: RetinueError | None = None
) -> Response:
    """Show the providers, the default, the models and the local models."""
    providers, _ = await page.service(Providers).page(Part(per_page=MOST_PROVIDERS))
    models = await page.platform.models.listing(page.caller.account_id)
    default = await page.service(DefaultModel).get()
    own = [] if default.shared else [default.model, *default.fallbacks]
    refusal = problem or local_problem
    return await page.render(
        "models/list.html",
        refusal.status if refusal else 200,
        **await local_values(page),
        local_problem=local_problem,
        providers=providers,
        models=models,
        names=list(dict.fromkeys([*(one["name"] for one in models if not one["default"]), *own])),
        default=default,
        chosen=own[0] if own else DEFAULT,
        fallbacks=[*own[1:], ""][:MOST_FALLBACKS],
        server_default=DEFAULT,
        kinds=KINDS,
        problem=problem,
    )


async def _show(
    page: Page,
    provider: Row,
    form: Form | None = None,
    *,
    outcome: Outcome | None = None,
    problem: RetinueError | None = None,
) -> Response:
    models, trouble = await _models(page, provider)
    return await page.render(
        "models/provider.html",
        problem.status if problem else 200,
        provider=provider,
        kind=KINDS[provider.kind],
        models=models,
        trouble=trouble,
        outcome=outcome,
        form=form or Form.of({"base_url": provider.base_url, "enabled": provider.enabled}),
        problem=problem,
    )


async def _models(page: Page, provider: Row) -> tuple[Sequence[Any], str]:
    """Return the models of a provider, or why it does not list them."""
    if not provider.enabled:
        return [], "The provider is switched off."
    own = f"{provider.name}/"
    found = [one for one in await page.platform.models.listing(page.caller.account_id) if one["name"].startswith(own)]
    if found or provider.models is not None:
        return found, ""
    try:
        await page.service(Providers).models(provider.id)
    except Unavailable as error:
        return [], error.message
    return [], "The provider lists no models that can chat."


async def _show_form(page: Page, vendor: str, form: Form, problem: RetinueError | None = None) -> Response:
    values = {"vendor": vendor, "about": VENDORS[vendor], "kinds": KINDS, "problem": problem}
    return await page.render("models/form.html", problem.status if problem else 200, form=form, **values)

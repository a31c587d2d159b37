"""Pages of models and their providers."""

from collections.abc import Mapping, Sequence

from starlette.responses import Response

from retinue.core.database.statements import Row
from retinue.core.errors import InUse, NotFound, RetinueError, Unavailable
from retinue.core.http.envelope import Page as Part
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.models.defaults import DefaultModel
from retinue.models.embedding_models import ALIAS
from retinue.models.hosting import ModelFacts, describe
from retinue.models.known_models import model_info
from retinue.models.registry import DEFAULT, ListedModel
from retinue.models.router import DefaultModelChange
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, InvalidForm, parse
from retinue.portal.models.choices import model_choices
from retinue.portal.models.forms import (
    INPUT_WORDS,
    PLANS,
    changes_of,
    creation_of,
    entry_of,
    form_of,
    form_of_model,
    stored_names,
)
from retinue.portal.models.local_values import local_values
from retinue.portal.models.vendors import KINDS, VENDORS
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.providers.schemas import ProviderUpdate
from retinue.providers.service import MOST_PROVIDERS, Providers, TestOutcome

pages = Pages(MenuEntry("Build", "models", gettext_noop("Models"), "cpu", "providers openai anthropic gemini ollama"))
_FIELDS = {name: name for name in ("name", "base_url", "key", "headers", "query", "models", "shared", "plans")}
_MOST_OFFERED = 200
"""Maximum number of models that a provider can be limited to."""


@pages.get("/models")
async def list_models(page: Page) -> Response:
    """Show the providers, the default, and the models."""
    return await show_all(page)


@pages.post("/models/default")
async def choose_default(page: Page) -> Response:
    """Choose the default model and its fallbacks."""
    form = await page.form()
    model = form.text("model") or DEFAULT
    try:
        change = parse(DefaultModelChange, {"model": model, "fallbacks": form.list("fallbacks")})
        await page.service(DefaultModel).choose(model, change.fallbacks or [], shared="shared" in form)
    except RetinueError as error:
        return await show_all(page, place_error(error, {}, otherwise="model"))
    return page.redirect("/models", _("The default is saved."))


@pages.post("/models/embedding")
async def choose_embedding(page: Page) -> Response:
    """Choose the embedding model."""
    form = await page.form()
    embedding = form.text("other") or form.text("embedding") or ALIAS
    try:
        change = parse(DefaultModelChange, {"embedding": embedding})
        await page.service(DefaultModel).choose_embedding(change.embedding or ALIAS, shared="shared" in form)
    except RetinueError as error:
        return await show_all(page, place_error(error, {}, otherwise="embedding"))
    return page.redirect("/models", _("The embedding model is saved. Collections are indexed anew in the background."))


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
    try:
        new = creation_of(form, operator=await _is_operator(page))
        provider = await page.service(Providers).create(new)
    except RetinueError as error:
        return await _show_form(page, vendor, form, place_error(error, _FIELDS))
    return page.redirect(f"/models/{provider.id}", _("The provider was added. Test it now."))


@pages.get("/models/{id}")
async def show_provider(page: Page) -> Response:
    """Show a provider with its models and the form to change it."""
    return await _show(page, await _provider(page))


@pages.post("/models/{id}/edit")
async def edit_provider(page: Page) -> Response:
    """Change the settings of a provider."""
    form, provider = await page.form(), await _provider(page)
    try:
        changes = changes_of(form, provider, operator=await _is_operator(page))
        await page.service(Providers).update(provider.id, changes)
    except RetinueError as error:
        return await _show(page, provider, form, problem=place_error(error, _FIELDS))
    return page.redirect(f"/models/{provider.id}", _("The changes are saved."))


@pages.get("/models/{id}/model")
async def show_model(page: Page) -> Response:
    """Show the form to change the facts of one model."""
    provider, name = await _provider(page), page.query.text("id")
    entries = {entry["id"]: entry for entry in provider.models or ()}
    return await _show_model(page, provider, name, form_of_model(entries.get(name, {})))


@pages.post("/models/{id}/model")
async def edit_model(page: Page) -> Response:
    """Change the facts of one model. A provider without a list of models then has the list that it reported."""
    provider, form = await _provider(page), await page.form()
    known = await _known_models(page, provider, form.text("id"))
    try:
        entry = entry_of(form)
        offered = [{"id": name} for name in known] if provider.models is None else provider.models
        entries = {one["id"]: one for one in offered} | {entry["id"]: entry}
        if len(entries) > _MOST_OFFERED:
            text = _("The provider lists more than {count} models. First name those to offer in its settings.")
            message = text.format(count=_MOST_OFFERED)
            raise InvalidForm(message, {"id": message})
        changes = parse(ProviderUpdate, {"models": list(entries.values())})
        await page.service(Providers).update(provider.id, changes)
    except RetinueError as error:
        return await _show_model(page, provider, form.text("id"), form, error)
    return page.redirect(f"/models/{provider.id}", _("The model is saved."))


@pages.post("/models/{id}/test")
async def test_provider(page: Page) -> Response:
    """Make one small call and show the outcome."""
    provider, form = await _provider(page), await page.form()
    outcome = await page.service(Providers).test(provider.id, form.optional("model"))
    return await _show(page, provider, outcome=outcome)


@pages.post("/models/{id}/delete")
async def delete_provider(page: Page) -> Response:
    """Delete a provider. If it is in use, the page lists what uses it."""
    provider = await _provider(page)
    try:
        await page.service(Providers).delete(provider.id)
    except InUse as error:
        return await _show(page, provider, problem=error)
    return page.redirect("/models", _("The provider {name} is deleted.").format(name=provider.name))


async def _provider(page: Page) -> Row:
    return await page.service(Providers).get(page.path_id())


async def show_all(
    page: Page, problem: RetinueError | None = None, local_problem: RetinueError | None = None
) -> Response:
    """Show the providers, the default, the models and the local models."""
    providers, _ = await page.service(Providers).page(Part(per_page=MOST_PROVIDERS))
    choices = await model_choices(page)
    default = await page.service(DefaultModel).get()
    embeddings = await page.platform.embedding_models.names(page.caller.account_id)
    refused = {one.id: page.platform.hosting.key_refused_at(one) for one in providers if one.enabled}
    own = [] if default.shared else [default.model, *default.fallbacks]
    refusal = problem or local_problem
    return await page.render(
        "models/list.html",
        refusal.status if refusal else 200,
        **await local_values(page),
        local_problem=local_problem,
        providers=providers,
        refused=refused,
        models=[choices.default, *(model for group in choices.groups.values() for model in group)],
        choices=choices,
        default=default,
        chosen=own[0] if own else "",
        fallbacks=own[1:],
        kinds=KINDS,
        problem=problem,
        embeddings=embeddings,
        included_embedding=ALIAS,
    )


async def _show(
    page: Page,
    provider: Row,
    form: Form | None = None,
    *,
    outcome: TestOutcome | None = None,
    problem: RetinueError | None = None,
) -> Response:
    models, trouble = await listed_models(page, provider)
    return await page.render(
        "models/provider.html",
        problem.status if problem else 200,
        provider=provider,
        kind=KINDS[provider.kind],
        models=models,
        trouble=trouble,
        refused_at=page.platform.hosting.key_refused_at(provider) if provider.enabled else None,
        outcome=outcome,
        form=form or form_of(provider),
        problem=problem,
        plans=PLANS,
        stored_names=stored_names,
    )


async def listed_models(page: Page, provider: Row) -> tuple[Sequence[ListedModel], str]:
    """Return the models of a provider, or why it does not list them."""
    if not provider.enabled:
        return [], _("The provider is switched off.")
    own = f"{provider.name}/"
    found = [one for one in await page.platform.models.listing(page.caller.account_id) if one["name"].startswith(own)]
    if found or provider.models is not None:
        return found, ""
    try:
        await page.service(Providers).models(provider.id)
    except Unavailable as error:
        return [], error.message
    return [], _("The provider lists no models that can chat.")


async def _show_form(page: Page, vendor: str, form: Form, problem: RetinueError | None = None) -> Response:
    values = {"vendor": vendor, "about": VENDORS[vendor], "kinds": KINDS, "problem": problem}
    values |= {"plans": PLANS, "stored_names": stored_names}
    return await page.render("models/form.html", problem.status if problem else 200, form=form, **values)


async def _is_operator(page: Page) -> bool:
    return (await page.account()).operator


async def _known_models(page: Page, provider: Row, name: str) -> Mapping[str, ListedModel]:
    """Return the models of a provider by their names there. Raises `NotFound` if there is none called `name`."""
    listed = (await listed_models(page, provider))[0]
    known = {one["name"].partition("/")[2]: one for one in listed}
    if name not in known:
        raise NotFound(_("The provider {name} has no model with this name.").format(name=provider.name))
    return known


async def _show_model(
    page: Page, provider: Row, name: str, form: Form, problem: RetinueError | None = None
) -> Response:
    known = await _known_models(page, provider, name)
    is_changed = any(entry["id"] == name for entry in provider.models or ())
    usual: ModelFacts = describe(model_info(provider.kind, provider.base_url, name)) if is_changed else known[name]
    values = {"name": name, "known": usual, "count": len(known), "form": form, "problem": problem}
    values |= {"known_inputs": [_(INPUT_WORDS[kind]) for kind in usual["input"]]}
    status = problem.status if problem else 200
    return await page.render("models/model.html", status, provider=provider, **values)

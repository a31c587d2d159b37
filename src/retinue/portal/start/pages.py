"""The page that asks what somebody new wants, and the ways that start there."""

from starlette.responses import Response

from retinue.auth.keys.schemas import KeyCreate
from retinue.auth.keys.service import Keys
from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.demo.service import Demo
from retinue.language.translation import gettext as _
from retinue.models.defaults import DefaultModel
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, parse, require
from retinue.portal.models.choices import model_choices
from retinue.portal.models.pages import listed_models
from retinue.portal.models.vendors import VENDORS
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.voice import voice_of
from retinue.providers.schemas import ProviderCreate, ProviderUpdate
from retinue.providers.service import MOST_PROVIDERS, Providers

pages = Pages()
_VENDORS = {name: vendor.title for name, vendor in VENDORS.items() if vendor.keys}
"""The providers that need nothing but a key."""


@pages.get("/start")
async def show_start(page: Page) -> Response:
    """Ask what somebody new wants."""
    return await show_first_page(page, Form())


@pages.post("/start/provider")
async def connect_provider(page: Page) -> Response:
    """Add a provider with the pasted key, or give the one of this name the new key."""
    form = await page.form()
    name = form.text("vendor") if form.text("vendor") in _VENDORS else next(iter(_VENDORS))
    vendor, providers = VENDORS[name], page.service(Providers)
    known, _ = await providers.page(Part(per_page=MOST_PROVIDERS))
    same = next((one for one in known if one.name == name), None)
    try:
        require(form, "key")
        if same is not None:
            provider = await providers.update(same.id, parse(ProviderUpdate, {"key": form.text("key")}))
        else:
            fields = {"name": name, "kind": vendor.kind, "base_url": vendor.base_url, "key": form.text("key")}
            provider = await providers.create(parse(ProviderCreate, fields))
    except RetinueError as error:
        return await show_first_page(page, form, place_error(error, {"key": "key"}, otherwise="key"))
    return page.redirect(f"/start/model/{provider.id}")


@pages.get("/start/model/{id}")
async def show_models(page: Page) -> Response:
    """Show the models of a provider that was just connected, to choose the one that answers."""
    provider = await page.service(Providers).get(page.path_id())
    models, trouble = await listed_models(page, provider)
    return await page.render("start/model.html", provider=provider, models=models, trouble=trouble)


@pages.post("/start/model/{id}")
async def choose_model(page: Page) -> Response:
    """Make a model the default, and lead to a conversation with it."""
    form = await page.form()
    await page.service(DefaultModel).choose(form.text("model"), [], shared=False)
    return page.redirect("/playground", _("{model} answers from now on.").format(model=form.text("model")))


@pages.get("/start/api")
async def show_api(page: Page) -> Response:
    """Show how a program calls this server."""
    return await page.render("start/api.html", key=None)


@pages.post("/start/api")
async def create_key(page: Page) -> Response:
    """Create a key, and show requests that have it filled in."""
    key = await page.service(Keys).create(parse(KeyCreate, {"name": _("First program"), "scopes": ["*"]}))
    return await page.render("start/api.html", key=key.key)


@pages.get("/start/telephone")
async def show_telephone(page: Page) -> Response:
    """Show what calls need, and where to talk without a telephone."""
    return await page.render("start/telephone.html", voice=voice_of(page.platform))


async def show_first_page(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    """Render the page that asks what somebody wants."""
    values: dict[str, object] = {"choices": await model_choices(page), "vendors": _VENDORS}
    values["demo"] = await page.service(Demo).get()
    status = problem.status if problem else 200
    return await page.render("start/start.html", status, form=form, problem=problem, **values)

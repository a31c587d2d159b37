"""The portal: the pages by which people use Retinue in a browser.

The portal stands above all resources. A page calls the services that the API calls, with the caller of the reader's
session: it holds no SQL and no rule of its own.

**A page group** is a folder (or a module, while it is small) such as `agents/`, with its handlers in `pages.py` and
its templates in `templates/agents/`. To add one:

1. Make `pages = Pages()` and declare handlers: `@pages.get("/agents")`, `@pages.post("/agents/{id}/delete")`. HTML
   forms know GET and POST alone, so a change is a POST to a path that ends in a verb.
2. Add `pages` to `GROUPS` in `routes.py`, and an `Entry` to `NAVIGATION` in `navigation.py` once the group is finished.
3. Add its addresses to `PAGES` in `tests/portal/conftest.py`: axe then checks them in both themes.

**A handler** takes a `Page` (see `page.py`) and returns a response. `page.service(Agents)` is a service,
`await page.render("agents/list.html", agents=rows)` a whole page, `page.fragment("agents/_rows.html", …)` a part for
htmx, `page.redirect("/agents/7", "Agent created.")` the answer to a form that was carried out; its second argument is
shown once on the next page. `page.path_id("id")` reads an id of the path, `page.paging()` the `?page=` of the query.

**Access** (`access.py`) happens before the handler: the session, the defence against cross-site requests, the limits
that the API has, and the security headers. `Pages(public=True)` is for people who are not signed in.

**Forms** are plain `<form method="post">`: `form = await page.form()`, then
`body = parse(AgentCreate, {"agent_name": form.text("name")})` with the schema of the API. Catch `RetinueError` around
parse and service, and render the form again with `status=error.status, problem=error, form=form`: the macro
`problem_notice(problem)` says what is wrong above the form, `field_problem(problem, "agent_name")` beside a field.
Give inputs `value="{{ form.text('name') }}"`, so that nothing that was typed is lost. Buttons are disabled by
`dialogs.js` once a form was sent.

**Errors** that a handler lets pass become a page that says how to go on (`error.html`), a notice in the page where
htmx asked, and the API's JSON for a script that asked by `fetch`.

**Dialogs**: `<button data-open="#new-key">` opens `<dialog id="new-key">`, `data-close` closes it, and a dialog with
`data-show` is open when the page comes. A form with `data-confirm="Delete Ada?" data-confirm-text="…"
data-confirm-action="Delete"` asks first: use it for everything that cannot be undone.

**Lists**: `{{ pager(paging, "/agents") }}` below a table, where `paging = page.paging().of(total)`; and
`{% call blank("bot", "No agents yet") %}…{% endcall %}` where there is nothing: say what the thing is for, and give
the button that makes the first one.

**Live parts**: `<section data-live="/agents/7/runs/live">…</section>`, and a handler that returns
`await live(page, [topic, …], show)` from `live.py`: `show()` makes the part's HTML and says whether it is final. It is
sent again when a wake-up of a topic comes and it has changed. A page should have one live part: browsers open six
connections to a server at most.

**Look**: `static/base.css` has the tokens and controls, `static/components.css` the parts; a page's own style sheet or
module goes into `{% block head %}`. No inline styles or scripts: the policy refuses them. Instants are written by the
filters `ago`, `moment` and `clock`, durations by `took`, JSON by `pretty`, icons by `icon(name)`. Text of a model goes
into `<div class="prose" data-markdown>…</div>`: the browser builds nodes from it (`markdown.js`).
"""

"""The portal: the web pages of Retinue.

The portal depends on all resources. A page calls the same services as the API, with the caller of the user's session.
It contains no SQL and no rules of its own.

**A page group** is a folder (or a module, while it is small) such as `agents/`, with its handlers in `pages.py` and
its templates in `templates/agents/`. To add one:

1. Create `pages = Pages(MenuEntry(…))`, and declare handlers: `@pages.get("/agents")`, or
   `@pages.post("/agents/{id}/delete")`. HTML forms support only GET and POST, so a change is a POST to a path that ends
   in a verb.
2. Add `pages` to `GROUPS` in `routes.py`. Leave the `MenuEntry` out until the group is finished.
3. Add its paths to `PAGES` in `tests/portal/conftest.py`: axe then checks them in both themes.

**A handler** takes a `Page` (see `page.py`) and returns a response. `page.service(Agents)` returns a service,
`await page.render("agents/list.html", agents=rows)` a whole page, `page.fragment("agents/_rows.html", …)` a part for
htmx, `page.redirect("/agents/7", "Agent created.")` the response to a processed form; the next page shows
its second argument once. `page.path_id("id")` reads an id from the path, `page.paging()` reads `?page=`.

**Access** (`access.py`) runs before the handler: session, cross-site protection, the API's rate limits and security
headers. `Pages(public=True)` is for users who are not signed in.

**Forms** are plain `<form method="post">`: `form = await page.form()`, then
`body = parse(AgentCreate, {"agent_name": form.text("name")})` with the schema of the API. Catch `RetinueError` around
parse and service, and render the form again with `error.status, problem=error, form=form`: the macro
`problem_notice(problem)` shows the problem above the form, `field_problem(problem, "agent_name")` beside a field.
Give inputs `value="{{ form.text('name') }}"`, so that users keep what they typed. `dialogs.js` disables
buttons after a form is sent.

**Errors** that a handler does not catch become a page with advice (`error.html`), a notice in the page for htmx, or
the API's JSON for a script that uses `fetch`.

**Dialogs**: `<button data-open="#new-key">` opens `<dialog id="new-key">`, `data-close` closes it, and a dialog with
`data-show` is open when the page loads. A form with `data-confirm="Delete Ada?" data-confirm-text="…"
data-confirm-action="Delete"` asks first: use it for every irreversible action.

**Lists**: `{{ pager(paging, "/agents") }}` below a table, where `paging = page.paging().of(total)`; and
`{% call blank("bot", "No agents yet") %}…{% endcall %}` for an empty list: explain its purpose and offer
the button that creates the first record.

**Choosing a model**: `choices = await model_choices(page)` from `models/choices.py`, `{{ model_rows(choices) }}` once
on the page, and `{{ model_picker("model", choices, form.text("model")) }}` in the form, with `models.css` in the head.
Without scripts it is a plain select.

**Live parts**: `<section data-live="/agents/7/runs/live">…</section>`, and a handler that returns
`await live(page, [topic, …], show)` from `live.py`: `show()` returns the part's HTML, and True if it is final. After
a wake-up of a topic, the part is sent again if it changed. Use one live part on a page: browsers open at most six
connections to a server.

**Look**: `static/base.css` has the tokens and controls, `static/components.css` the parts; a page's own style sheet or
module goes into `{% block head %}`. Inline styles and scripts are forbidden by the policy. Format instants with the
filters `ago`, `moment` and `clock`, durations with `took`, JSON with `pretty`, icons with `icon(name)`. Put text of a
model into `<div class="prose" data-markdown>…</div>`: the browser builds nodes from it (`markdown.js`).
"""

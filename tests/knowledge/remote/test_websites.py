"""Websites: which pages are read, what a later synchronization changes, and what goes wrong."""

from tests.knowledge.remote.sources import add_source, documents, path_of, sync
from tests.knowledge.support import new_collection, passages, search
from tests.support.client import Client, data, refuse
from tests.support.site import Answer, Site

OPENING = (
    "The museum opens at ten on weekdays, and at noon on Sundays and on public holidays. It closes at six in winter, "
    "at eight in summer, and the last visitors are let in an hour before. The garden is open from sunrise to sunset, "
    "and its gate to the river is locked when the water is high."
)
PRICES = (
    "A ticket costs twelve euros for adults, and children under fourteen need no ticket at all. Students pay half when "
    "they show their card at the desk. A ticket for the whole year costs forty euros, and its holder may bring one "
    "guest on the first Monday of each month without further payment."
)
TOURS = "Guided tours begin every hour at the fountain in the yard, and take fifty minutes. " * 4


def museum(site: Site) -> None:
    """A website of three pages, one of them broken."""
    site.page("/", "Museum", OPENING, "/prices", "/broken?utm_source=x", "/logo.png", "https://example.com/", "#top")
    site.page("/prices", "Prices", PRICES, "/", "../prices#children")
    site.pages["/broken"] = Answer("oops", 500)


def test_the_pages_of_a_website_are_found_with_their_titles(client: Client, site: Site) -> None:
    museum(site)
    collection = new_collection(client)
    source = add_source(client, collection, kind="website", url=f"{site.url}/")
    assert (source["status"], source["error"], source["documents"], source["failed"]) == ("ready", None, 3, 1)
    assert source["last_synced_at"] < source["next_sync_at"]
    found = documents(client, collection)
    assert {place.removeprefix(site.url): one["title"] for place, one in found.items() if one["title"]} == {
        "/": "Museum", "/prices": "Prices",
    }  # fmt: skip
    broken = found[f"{site.url}/broken"]
    assert (broken["status"], broken["source_id"]) == ("failed", source["id"])
    assert "status 500" in broken["error"]
    (best, *_) = search(client, collection, "When does it open on Sundays?")
    assert (best["title"], OPENING in best["text"]) == ("Museum", True)
    assert "/prices" not in best["text"]


def test_a_synchronization_adds_changes_and_removes(client: Client, site: Site) -> None:
    museum(site)
    collection = new_collection(client)
    source = add_source(client, collection, kind="website", url=f"{site.url}/")
    before = documents(client, collection)
    site.page("/prices", "Prices", PRICES.replace("twelve", "fifteen"), "/tours")
    site.page("/tours", "Tours", TOURS)
    site.pages["/broken"] = Answer("gone", 410)
    again = sync(client, source)
    after = documents(client, collection)
    assert (again["status"], again["documents"], again["failed"]) == ("ready", 3, 0)
    assert {place.removeprefix(site.url) for place in after} == {"/", "/prices", "/tours"}
    assert after[f"{site.url}/"] == before[f"{site.url}/"]
    assert site.statuses_of("/")[-1] == 304
    changed = after[f"{site.url}/prices"]
    assert (changed["id"], changed["passages"]) == (before[f"{site.url}/prices"]["id"], 1)
    assert "fifteen" in passages(client, changed)[0]["text"]
    assert not any("twelve" in one["text"] for one in search(client, collection, "twelve euros"))


def test_a_website_that_cannot_be_reached_keeps_its_documents(client: Client, site: Site) -> None:
    museum(site)
    collection = new_collection(client)
    source = add_source(client, collection, kind="website", url=f"{site.url}/")
    site.pages["/"] = Answer("down", 503)
    failed = sync(client, source)
    assert (failed["status"], failed["documents"]) == ("failed", 3)
    assert "status 503" in failed["error"]
    assert search(client, collection, "tickets")


def test_robots_patterns_depth_and_the_folder_limit_the_pages(client: Client, site: Site) -> None:
    site.pages["/robots.txt"] = Answer("User-agent: *\nDisallow: /docs/private\n", kind="text/plain")
    links = ["/docs/private/a", "/docs/drafts/b", "/docs/c", "/other", "/docs/old"]
    site.page("/docs/", "Start", OPENING, *links)
    for path in links:
        site.page(path, path, f"The page {path}. {OPENING}", "/docs/deep")
    site.page("/docs/deep", "Deep", PRICES, "/docs/deeper")
    site.page("/docs/deeper", "Deeper", PRICES)
    site.pages["/docs/old"] = Answer("", 301, location="/docs/c")
    collection = new_collection(client)
    fields = {"url": f"{site.url}/docs/", "exclude": ["/docs/drafts/*"], "max_depth": 2}
    source = add_source(client, collection, kind="website", **fields)
    found = {place.removeprefix(site.url) for place in documents(client, collection)}
    assert found == {"/docs/", "/docs/c", "/docs/deep"}
    assert not site.statuses_of("/docs/private/a")
    data(client.put(path_of(source), {"exclude": [], "max_depth": 1}))
    sync(client, source)
    found = {place.removeprefix(site.url) for place in documents(client, collection)}
    assert found == {"/docs/", "/docs/c", "/docs/drafts/b"}


def test_a_site_map_lists_the_pages(client: Client, site: Site) -> None:
    museum(site)
    places = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/", "/prices"))
    site.pages["/sitemap.xml"] = Answer(f"<?xml version='1.0'?><urlset>{places}</urlset>", kind="application/xml")
    collection = new_collection(client)
    source = add_source(client, collection, kind="website", url=f"{site.url}/sitemap.xml", max_pages=1)
    assert (source["documents"], "limit of 1" in source["error"]) == (1, True)
    data(client.put(path_of(source), {"max_pages": 10}))
    assert sync(client, source)["documents"] == 2
    assert not site.statuses_of("/broken")


def test_robots_that_forbid_the_first_page_are_obeyed(client: Client, site: Site) -> None:
    museum(site)
    site.pages["/robots.txt"] = Answer("User-agent: Retinue/1.0\nDisallow: /\n", kind="text/plain")
    source = add_source(client, new_collection(client), kind="website", url=f"{site.url}/")
    assert (source["status"], source["documents"]) == ("failed", 0)
    assert "robots.txt" in source["error"]
    assert not site.statuses_of("/")


def test_deleting_a_source_deletes_or_keeps_its_documents(client: Client, site: Site) -> None:
    museum(site)
    collection = new_collection(client)
    source = add_source(client, collection, kind="website", url=f"{site.url}/", max_depth=0)
    assert data(client.delete(path_of(source))) == {"id": source["id"], "deleted": True}
    assert documents(client, collection) == {}
    refuse(client.get(path_of(source)), 404)
    source = add_source(client, collection, kind="website", url=f"{site.url}/", max_depth=0)
    data(client.delete(path_of(source), params={"keep_documents": "true"}))
    (kept,) = documents(client, collection).values()
    assert "source_id" not in kept
    data(client.post(f"/knowledge/collections/{collection}/documents/{kept['id']}/refresh"))

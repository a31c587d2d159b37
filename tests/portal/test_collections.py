"""The pages of collections: creating, adding, searching, reading a document, and choosing them for an agent."""

import html
import re

from tests.conftest import ONE_DATABASE
from tests.knowledge.support import HANDBOOK, await_settled
from tests.portal.reader import Reader, redirect
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

pytestmark = ONE_DATABASE


def new_collection(reader: Reader) -> str:
    """Create a collection by the form; returns the path of its page."""
    return redirect(reader.post("/knowledge/collections", {"name": "Handbooks", "description": "For staff"}))


def documents(client: Client, path: str) -> list[dict[str, object]]:
    """Return the documents of the collection of a page, once they have been read."""
    listed = data(client.get(f"{path}/documents"))
    return [await_settled(client, one) for one in listed]


def test_a_collection_is_filled_searched_and_deleted(reader: Reader, client: Client) -> None:
    assert "Let agents answer from your documents" in reader.get("/knowledge").text
    path = new_collection(reader)
    assert "No documents yet" in reader.get(path).text
    assert redirect(reader.post(f"{path}/add", {"title": "Staff handbook", "text": HANDBOOK})) == path
    (document,) = documents(client, path)
    page = reader.get(f"{path}?q=paid+leave").text
    assert "28 days of paid leave" in page
    assert "Relevant" in page
    shown = reader.get(f"{path}/documents/{document['id']}").text
    assert 'id="passage-2"' in shown
    assert "Staff handbook / Holidays" in shown
    assert "Handbooks" in reader.get("/knowledge").text
    assert redirect(reader.post(f"{path}/documents/{document['id']}/refresh")) == path
    assert redirect(reader.post(f"{path}/documents/{document['id']}/delete")) == path
    assert reader.get(f"{path}/documents/{document['id']}").status_code == 404
    assert redirect(reader.post(f"{path}/delete")) == "/knowledge"
    assert reader.get(path).status_code == 404


def test_the_agents_that_answer_from_a_collection_are_linked(reader: Reader, client: Client) -> None:
    path = new_collection(reader)
    answering = {"agent_name": "Clerk", "agent_role": "specialist", "knowledge": [int(path.rpartition("/")[2])]}
    agent = data(client.post("/agents", answering), 201)
    refused = reader.post(f"{path}/delete")
    assert refused.status_code == 400
    assert refused.text.count(f"Agents that answer from it (1): Clerk ({agent['id']}).") == 1
    assert f'<a href="/agents/{agent["id"]}/edit">Clerk</a>' in refused.text


def test_a_collection_is_changed_by_its_form(reader: Reader, client: Client) -> None:
    path = new_collection(reader)
    assert f'href="{path}/edit"' in reader.get(path).text
    assert 'value="Handbooks"' in reader.get(f"{path}/edit").text
    sent = {"name": "Rules", "description": "For guests", "reranker": ""}
    assert redirect(reader.post(f"{path}/edit", sent)) == path
    assert {name: data(client.get(path))[name] for name in sent} == sent
    refused = reader.post(f"{path}/edit", {**sent, "reranker": "nobody/model"})
    assert (refused.status_code, 'value="nobody/model"' in refused.text) == (400, True)
    assert "aria-invalid" in refused.text
    assert reader.get("/knowledge/collections/999999/edit").status_code == 404


def test_a_file_is_added_without_a_script(reader: Reader, client: Client) -> None:
    path = new_collection(reader)
    headers = {"Origin": reader.server.url}
    files = {"file": ("rules.md", HANDBOOK.encode(), "text/markdown")}
    assert redirect(reader._send("POST", f"{path}/upload", headers=headers, files=files)) == path
    assert [one["title"] for one in documents(client, path)] == ["rules.md"]


def test_a_problem_is_shown_with_the_form(reader: Reader) -> None:
    path = new_collection(reader)
    answer = reader.post(f"{path}/add", {"url": "http://127.0.0.1/"})
    assert answer.status_code == 400
    assert "not a public address" in answer.text


def test_an_agent_gets_a_collection_by_its_form(reader: Reader, client: Client) -> None:
    collection = new_collection(reader).rpartition("/")[2]
    assert "Handbooks" in reader.get("/agents/new").text
    fields = {"agent_name": "Clerk", "agent_role": "specialist", "voice_engine": "hibari", "knowledge": collection}
    agent = redirect(reader.post("/agents", fields)).rpartition("/")[2]
    assert data(client.get(f"/agents/{agent}"))["knowledge"] == [int(collection)]
    assert f'name="knowledge" value="{collection}" checked><span>Handbooks' in reader.get(f"/agents/{agent}/edit").text


def test_the_page_of_a_run_leads_to_the_passages_it_cites(reader: Reader, client: Client, model: ModelServer) -> None:
    path = new_collection(reader)
    document = data(client.post(f"{path}/documents", {"title": "Rules", "text": HANDBOOK}), 201)
    await_settled(client, document)
    new = {"agent_name": "Ada", "agent_role": "leader", "knowledge": [int(path.rpartition("/")[2])]}
    agent = data(client.post("/agents", new), 201)["id"]
    model.answers.append(Answer(text="You have 28 days of leave [1]."))
    asked = {"message": "How many days of paid leave do I get?"}
    told = data(client.post(f"/agents/{agent}/execute", asked))
    page = reader.get(f"/runs/{told['run_id']}").text
    link = re.search(r'\[1\] <a href="([^"#]+)#(passage-\d+)">Rules</a>', page)
    assert link
    assert f'id="{link[2]}"' in reader.get(html.unescape(link[1])).text


def test_a_folder_and_a_website_are_kept_in_step_by_forms(reader: Reader, client: Client) -> None:
    path = new_collection(reader)
    folder = {"kind": "folder", "path": "/handbook", "include": "*.md *.pdf", "every_hours": "168"}
    assert redirect(reader.post(f"{path}/sources", folder)) == path
    website = {"kind": "website", "url": "https://docs.example/", "max_depth": "0", "exclude": "/a/*\r\n/b/*"}
    assert redirect(reader.post(f"{path}/sources", website)) == path
    site, files = data(client.get(f"{path}/sources"))
    assert (site["max_depth"], site["exclude"], site["schedule"]["every_hours"]) == (0, ["/a/*", "/b/*"], 24)
    assert (files["include"], files["schedule"]["every_hours"]) == (["*.md", "*.pdf"], 168)
    eventually(lambda: "In step" in reader.get(path).text)
    page = reader.get(path).text
    assert "Folder /handbook" in page
    assert "The patterns select no file of the folder /handbook of your workspace." in page
    own = f"{path}/sources/{files['id']}"
    assert redirect(reader.post(f"{own}/sync")) == path
    assert redirect(reader.post(f"{own}/delete")) == path
    assert redirect(reader.post(f"{path}/sources/{site['id']}/delete", {"keep_documents": "on"})) == path
    assert "Websites, folders, repositories and buckets" not in reader.get(path).text


def test_a_source_is_changed_by_its_form(reader: Reader, client: Client) -> None:
    path = new_collection(reader)
    redirect(reader.post(f"{path}/sources", {"kind": "folder", "path": "/manuals", "every_hours": "24"}))
    (source,) = data(client.get(f"{path}/sources"))
    own = f"{path}/sources/{source['id']}"
    eventually(lambda: "The patterns select no file" in reader.get(own).text)
    assert f'href="{own}"' in reader.get(path).text
    refused = reader.post(own, {"path": "", "every_hours": "5 %"})
    assert refused.status_code == 400
    assert "Every 5 % hours" in refused.text
    sent = {"path": "/guides", "include": "*.md\r\n*.pdf", "max_pages": "50", "cron": "0 6 * * 1-5", "timezone": "UTC"}
    assert redirect(reader.post(own, sent)) == path
    (changed,) = data(client.get(f"{path}/sources"))
    assert (changed["path"], changed["include"], changed["max_pages"]) == ("/guides", ["*.md", "*.pdf"], 50)
    assert changed["schedule"] == {"every_hours": None, "cron": "0 6 * * 1-5", "timezone": "UTC"}
    refused = reader.post(own, {**sent, "cron": "sometimes"})
    assert (refused.status_code, 'value="sometimes"' in refused.text) == (400, True)
    assert reader.get(f"{path}/sources/{source['id'] + 10_000}").status_code == 404


def test_a_source_that_is_refused_is_shown_with_its_form(reader: Reader) -> None:
    path = new_collection(reader)
    answer = reader.post(f"{path}/sources", {"kind": "website", "url": "http://10.1.2.3/"})
    assert (answer.status_code, "not a public address" in answer.text) == (400, True)
    assert 'value="http://10.1.2.3/"' in answer.text


def test_a_bucket_and_a_private_repository_are_added_with_a_connection(reader: Reader, client: Client) -> None:
    path = new_collection(reader)
    assert "Create one first." in reader.get(path).text
    store = {"kind": "s3", "settings": {"endpoint": "https://s3.example.com"}}
    secret = {"access_key_id": "AKIAEXAMPLE", "secret_access_key": "12345678"}
    data(client.post("/connections", {"name": "store", **store, "secret": secret}), 201)
    forge = {"kind": "http", "settings": {"base_url": "https://git.example"}, "secret": {"value": "12345678"}}
    data(client.post("/connections", {"name": "forge", **forge}), 201)
    assert "<option>store</option>" in reader.get(path).text
    missing = reader.post(f"{path}/sources", {"kind": "bucket", "url": "s3://handbook/"})
    assert (missing.status_code, "needs a connection" in missing.text) == (400, True)
    bucket = {"kind": "bucket", "url": "s3://handbook/texts/", "connection": "store"}
    repository = {"kind": "repository", "url": "https://git.example/a/b", "connection": "forge"}
    for form in (bucket, repository):
        assert redirect(reader.post(f"{path}/sources", form)) == path
    git, objects = data(client.get(f"{path}/sources"))
    assert (objects["url"], objects["connection"], git["connection"]) == (bucket["url"], "store", "forge")
    own = f"{path}/sources/{git['id']}"
    assert "<option selected>forge</option>" in reader.get(own).text
    assert redirect(reader.post(own, {"url": git["url"], "connection": "", "every_hours": "24"})) == path
    assert data(client.get(own))["connection"] is None
    assert "s3://handbook/texts/" in reader.get(f"{path}/sources/{objects['id']}").text

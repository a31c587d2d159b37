"""From documents to tools: names, schemas, and documents that mean harm."""

import re
import time
import tracemalloc
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice, product
from typing import Any, NamedTuple

import jsonschema_rs
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.catalogue.imported_tool import ImportedTool, decode
from retinue.tools.catalogue.source_catalogue import SourceCatalogue
from retinue.tools.imports import documents
from retinue.tools.imports.account_catalogue import OwnCatalogue
from retinue.tools.imports.openapi import DocumentSource, base_url, tools_of
from retinue.tools.imports.references import References
from retinue.tools.imports.requests import outgoing
from retinue.tools.imports.schema_trimming import ROOM, SchemaTrimmer
from retinue.tools.selection.selector import Query
from tests.tools.imports.pets import Json, many, pets, query
from tests.tools.made_up import make_tool

SOURCE = DocumentSource("pets", "web")
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
keywords = st.sampled_from(
    [
        "type", "enum", "const", "default", "minimum", "exclusiveMaximum", "minLength", "maxItems", "pattern", "format",
        "description", "required", "nullable", "$ref", "$id", "$schema", "readOnly", "unknown",
    ]
)  # fmt: skip
plain = st.sampled_from(["string", "integer", "object", "array", "#/schema", "#/"]) | json_values
schemas: st.SearchStrategy[Any] = st.recursive(
    st.dictionaries(keywords, plain, max_size=5) | json_values,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": plain,
            "properties": st.dictionaries(st.text(max_size=8), inner, max_size=3),
            "required": st.lists(st.text(max_size=8), max_size=2) | json_values,
            **dict.fromkeys(("items", "additionalProperties", "not"), inner),
            **dict.fromkeys(("allOf", "anyOf", "oneOf"), st.lists(inner, max_size=3)),
        },
    ),
    max_leaves=10,
)


def make(operation: Json, method: str = "get", path: str = "/a", **document: object) -> ImportedTool:
    """The tool of a document with one operation."""
    (tool,) = tools_of({"openapi": "3.1.0", "paths": {path: {method: operation}}, **document}, SOURCE)
    return tool


def shape(schema: Any, **document: object) -> Json:
    return SchemaTrimmer(References({"schema": schema, **document})).shape(schema)


@pytest.mark.parametrize(
    ("operation", "path", "name"),
    [
        ({"operationId": "repos/list-for-user"}, "/a", "pets_repos_list_for_user"),
        ({"operationId": "getHTTPResponse2"}, "/a", "pets_get_http_response_2"),
        ({"operationId": "GET_Pet"}, "/a", "pets_get_pet"),
        ({}, "/pets/{petId}/toys", "pets_get_pets_pet_id_toys"),
        ({"operationId": "Приют"}, "/a", "pets_get_a"),
        ({"operationId": 7}, "/a", "pets_get_a"),
    ],
)
def test_names_of_tools(operation: Json, path: str, name: str) -> None:
    assert make(operation, path=path).name == name


@given(st.lists(st.text(max_size=100), min_size=1, max_size=8))
def test_names_are_unique_and_fit(identifiers: list[str]) -> None:
    paths = {f"/{number}": {"get": {"operationId": one}} for number, one in enumerate(identifiers)}
    names = [tool.name for tool in tools_of({"openapi": "3.0.0", "paths": paths}, SOURCE)]
    assert len(set(names)) == len(identifiers)
    assert all(re.fullmatch("[a-z][a-z0-9_]{1,63}", name) for name in names)


def test_names_of_arguments() -> None:
    places: list[Json] = [
        {"name": name, "in": place, "schema": {}} for name in ("id", "a[]") for place in ("query", "header", "path")
    ]
    tool = make({"parameters": places}, path="/{id}")
    assert {name: (one.place, one.name) for name, one in tool.call.arguments.items()} == {
        "id": ("path", "id"), "a__": ("path", "a[]"), "id_query": ("query", "id"), "id_header": ("header", "id"),
        "a___query": ("query", "a[]"), "a___header": ("header", "a[]"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("get", (True, False, True)), ("head", (True, False, True)), ("post", (False, False, False)),
        ("put", (False, False, True)), ("patch", (False, False, False)), ("delete", (False, True, True)),
    ],
)  # fmt: skip
def test_each_method_sends_its_operation(method: str, kind: tuple[bool, bool, bool]) -> None:
    tool = make({}, method)
    assert (tool.read_only, tool.destructive, tool.idempotent) == kind
    assert (tool.open_world, tool.tier, tool.credits) == (True, "free", 1)


def test_every_tool_and_argument_is_described() -> None:
    tools = list(tools_of(pets(), SOURCE))
    assert len({tool.description for tool in tools}) == len(tools)
    for tool in tools:
        assert len(tool.description) >= 20
        assert all(schema["description"] for schema in tool.input_schema["properties"].values())
        assert decode(orjson.dumps(tool)) == tool


def test_parameters_of_a_path_give_way_to_those_of_an_operation() -> None:
    item = {"parameters": [query("a", {"type": "string"})], "get": {"parameters": [query("a", {"type": "integer"})]}}
    (tool,) = tools_of({"openapi": "3.1.0", "paths": {"/a": item}}, SOURCE)
    assert tool.input_schema["properties"]["a"]["type"] == "integer"


@pytest.mark.parametrize(
    ("schema", "shaped"),
    [
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": ["integer", "null"]}, {"type": ["integer", "null"]}),
        ({"minimum": 1, "exclusiveMinimum": True}, {"minimum": 1}),
        ({"type": "cow", "minLength": -1, "maxLength": "9", "format": "file-id"}, {}),
        ({"pattern": "(a+)+$", "type": "string"}, {"type": "string"}),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}], "required": ["b"]},
            {"type": "object", "properties": {"b": {}, "a": {}}, "required": ["b", "a"]},
        ),
        ({"$ref": "#/nowhere"}, {}),
        ({"$ref": "https://example.com/schema.json"}, {}),
        ({"$ref": "#/schema"}, {}),
    ],
)
def test_schemas_are_simplified(schema: Json, shaped: Json) -> None:
    found = shape(schema)
    assert {**found, **({"required": sorted(found["required"])} if "required" in found else {})} == {
        **shaped, **({"required": sorted(shaped["required"])} if "required" in shaped else {})
    }  # fmt: skip


@given(schemas)
def test_any_schema_becomes_one_that_is_valid_and_small(schema: Any) -> None:
    shaped = shape(schema)
    assert jsonschema_rs.meta.is_valid(shaped)
    assert len(orjson.dumps(shaped)) < 2 * ROOM
    ArgumentChecker(make({"parameters": [query("a", shaped)]})).check({})


@given(st.dictionaries(st.sampled_from(["openapi", "paths", "servers", "components"]), json_values), json_values)
def test_any_document_is_read_or_refused(document: Json, item: Any) -> None:
    for one in (document, {"openapi": "3.1.0", "paths": {"/a": item, "/b": {"get": item, "post": item}}}):
        with suppress(ValidationFailed):
            assert list(tools_of(one, SOURCE))
        base_url(one, None)


@given(st.dictionaries(st.sampled_from(["parameters", "requestBody", "tags", "summary", "servers"]), json_values))
def test_any_operation_is_read(operation: Json) -> None:
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": operation}, "/b": {"get": {}}}}
    for tool in tools_of(document, SOURCE):
        outgoing(tool.call, {})


def circle(width: int) -> Json:
    """Schemas that hold each other, so many at each place."""
    refs = [{"$ref": "#/components/schemas/A"}] * width
    return {
        "schemas": {
            "A": {
                "allOf": refs,
                "anyOf": refs,
                "properties": {f"p{n}": ref for n, ref in enumerate(refs)},
                "items": refs[0],
            }
        }
    }


@pytest.mark.parametrize("width", [1, 8, 500])
def test_circular_schemas_end(width: int) -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    began = time.thread_time()
    tool = make({"requestBody": body}, "post", components=circle(width))
    assert time.thread_time() - began < 10  # If circles were followed, it would take for ever.
    assert len(orjson.dumps(tool.input_schema)) < 4 * ROOM


def test_deep_schemas_are_cut() -> None:
    schema: Json = {}
    for _ in range(5000):
        schema = {"type": "object", "properties": {"a": schema}}
    assert str(shape(schema)).count("properties") < 10


def test_the_time_of_parsing_grows_as_the_document_does() -> None:
    def parse(operations: int) -> tuple[float, int]:
        document = many(operations)
        began = time.thread_time()
        tools = list(tools_of(document, SOURCE))
        return time.thread_time() - began, max(len(orjson.dumps(tool)) for tool in tools)

    (usual, _), (took, largest) = parse(500), parse(2000)
    assert took < 12 * max(usual, 0.1), (took, usual)
    assert largest < 4 * ROOM


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"[" * 100_000, "nested"),
        (b"{" + b'"a":{' * 100_000, "not valid JSON"),
        (b"a: !!python/object/apply:os.system ['true']", "cannot be read"),
        (b"\x00\x01\x02", "cannot be read"),
        (b"a: \xff\xfe", "cannot be read"),
        (b"- 1\n" * (2 << 20), "YAML of more than 4 MiB"),
        (b"a: !!binary YQ==", "tag"),
        (b"a: !!timestamp 2026-11-21", "tag"),
        (b"a: !!set {b, c}", "tag"),
        (b"? [a]\n: b", "key"),
        (b"[" + b"1," * 400_000 + b"1]", "more than 300,000 values"),
        (b"", "must be an object"),
        (b"a: 1\n---\nb: 2\n", "cannot be read"),
    ],
)
def test_documents_that_mean_harm(raw: bytes, words: str) -> None:
    with pytest.raises(ValidationFailed, match=words):
        documents.read(raw)


def test_yaml_is_read_as_the_equivalent_json() -> None:
    """YAML 1.2, section 10.3.2; OpenAPI 3.1, section 4.2."""
    raw = b"a: 2026-11-21\n200: [yes, true, ~, 1.5, 007, -3e2, '1', !!str 2, 0x1F]\n<<: {b: }\ntrue: |\n  x\n"
    assert documents.read(raw) == {
        "a": "2026-11-21",
        "200": ["yes", True, None, 1.5, 7, -300.0, "1", "2", "0x1F"],
        "b": None,
        "true": "x\n",
    }


@pytest.mark.parametrize(
    "scalar",
    ["1:30", "1:30.5", "1" * 5000, "1e999", ".inf", ".nan", "1_000", "0o17", "=", "2026-11-21T10:00:00Z"],
)
def test_yaml_scalars_that_json_has_no_form_for_are_text(scalar: str) -> None:
    assert documents.read(f"a: {scalar}".encode()) == {"a": scalar}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text("a1 :'\"-é{~"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a1 :#", max_size=8), inner, max_size=3),
        max_leaves=12,
    )
)
def test_json_means_the_same_as_yaml(value: Any) -> None:
    """Every JSON document is a YAML document (YAML 1.2.2, section 1.2)."""
    raw = orjson.dumps({"a": value})
    assert documents.read(b"---\n" + raw) == orjson.loads(raw)


@given(st.binary(max_size=200) | st.text("a1:-[]{}&*!<>|?,'\"\n #", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with suppress(ValidationFailed):
        assert isinstance(documents.read(raw), dict)


class Stored(NamedTuple):
    """A tool as the database has it."""

    name: str
    definition: str


def store(tools: Iterable[ImportedTool]) -> list[Stored]:
    return [Stored(tool.name, orjson.dumps(tool).decode()) for tool in tools]


def test_imported_tools_are_ranked_among_the_others() -> None:
    common = Catalogue([orjson.dumps(make_tool(name)) for name in ("walk_dogs_of_the_shelter", "do_sums")])
    own = SourceCatalogue(store(tools_of(pets(), SOURCE)), common.index)
    ranked = [name for name, _ in OwnCatalogue(common, [own]).rank([Query("list the pets of the shelter")]).tools]
    assert ranked[0] in own
    assert {*common.names()} < {*ranked}


@settings(max_examples=25)
@given(st.lists(st.text("abcdefgh ", min_size=200, max_size=600), min_size=1, max_size=30, unique=True))
def test_the_memory_of_a_source_is_counted(words: list[str]) -> None:
    """The count is no less than half of what is allocated, and no more than three times of it."""
    paths = {f"/{number}": {"get": {"description": text}} for number, text in enumerate(words)}
    rows = store(tools_of({"openapi": "3.1.0", "paths": paths}, SOURCE))
    common = Catalogue([orjson.dumps(make_tool("do_sums"))])
    SourceCatalogue(rows, common.index)  # what is made once for all
    tracemalloc.start()
    source = SourceCatalogue(rows, common.index)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / 2 < source.memory < taken * 3


def test_shared_definitions_are_stored_once() -> None:
    rows = store(tools_of(many(300), SOURCE))
    source = SourceCatalogue(rows, Catalogue([orjson.dumps(make_tool("do_sums"))]).index)
    assert source.memory < sum(len(one.definition) for one in rows) / 5
    assert [orjson.dumps(source.get(one.name)).decode() for one in rows] == [one.definition for one in rows]


def test_the_words_of_a_source_are_bounded() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    many_words = ("".join(one) for one in product(letters, repeat=4))
    paths = {f"/{number}": {"get": {"description": " ".join(islice(many_words, 140))}} for number in range(500)}
    common = Catalogue([orjson.dumps(make_tool("do_sums"))])
    sizes = [
        SourceCatalogue(
            store(tools_of({"openapi": "3.1.0", "paths": dict(islice(paths.items(), count))}, SOURCE)), common.index
        ).memory
        for count in (250, 500)
    ]
    assert sizes[1] < 1.5 * sizes[0]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"a: 1\nb: 2\nc: [1\n", "(line 4)"),
        (b"a: 1\n---\nb: 2\n", "it contains more than one document (line 2)"),
        (b"a:\n  - b\n  - ? [c]\n    : d\n", "a key is not a string (line 3)"),
        (b"a: 1\nb: !!binary YQ==\n", "the tag tag:yaml.org,2002:binary is not supported (line 2)"),
        (b"a: 1\n\nb: !!set {c, d}\n", "the tag tag:yaml.org,2002:set is not supported (line 3)"),
        (b"a: !%b x\n" % (b"t" * 80), f"the tag !{'t' * 59} is not supported (line 1)"),
        (b"a: \xff\n", "The document cannot be read"),
    ],
)
def test_a_refusal_tells_the_reason_and_the_line(raw: bytes, reason: str) -> None:
    with pytest.raises(ValidationFailed, match=re.escape(reason)):
        documents.read(raw)


@pytest.mark.parametrize(
    ("raw", "over"),
    [
        (b"a: " + b"x" * ((4 << 20) - 3), b"x"),
        (b"a: [" + b"1," * 299_997 + b"1]", b""),
        (b"a: " + b"[" * 100 + b"]" * 100, b""),
    ],
    ids=["bytes", "values", "levels"],
)
def test_yaml_up_to_its_limits_is_read(raw: bytes, over: bytes) -> None:
    assert "a" in documents.read(raw)
    larger = raw + over if over else raw.replace(b"1]", b"1,1]") if b"1]" in raw else raw.replace(b"[]", b"[[]]")
    with pytest.raises(ValidationFailed, match=r"4 MiB|300,000|100 levels"):
        documents.read(larger)


def test_json_up_to_its_limit_is_read() -> None:
    raw = b'{"a": "' + b"x" * ((20 << 20) - 9) + b'"}'
    assert len(raw) == 20 << 20
    assert len(str(documents.read(raw)["a"])) == (20 << 20) - 9
    with pytest.raises(ValidationFailed, match="larger than 20 MiB"):
        documents.read(raw + b" ")

"""GraphQL schemas and queries."""

from typing import Annotated, Any

from graphql import (
    GraphQLError,
    GraphQLSchema,
    build_schema,
    find_breaking_changes,
    find_dangerous_changes,
    is_input_object_type,
    is_interface_type,
    is_object_type,
    lexicographic_sort_schema,
    parse,
    print_schema,
    validate,
    validate_schema,
)
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_MOST = 200

Sdl = Annotated[
    str, About("Schema in the GraphQL schema language", "type Query { me: String }", min_length=1, max_length=500_000)
]


class TypeSummary(TypedDict):
    """A type of a schema."""

    name: Annotated[str, About("Name of the type")]
    kind: Annotated[str, About("object, input, interface, union, enum or scalar")]
    fields: Annotated[list[str], About("Fields as name: type")]


class SchemaSummary(TypedDict):
    """Overview of a schema."""

    valid: Annotated[bool, About("Whether the schema conforms to the specification")]
    problems: Annotated[list[str], About("Errors in the schema")]
    types: Annotated[list[TypeSummary], About("Types that the schema defines, in alphabetical order")]
    printed: Annotated[str, About("Schema in a uniform layout, sorted by name")]


class QueryCheck(TypedDict):
    """Result of validating a query."""

    valid: Annotated[bool, About("Whether the query is valid for the schema")]
    problems: Annotated[list[str], About("Errors with their lines")]
    operations: Annotated[list[str], About("Operations as type and name")]
    depth: Annotated[int, About("Nesting depth of the selections")]


class SchemaChanges(TypedDict):
    """Changes between two schemas."""

    breaking: Annotated[list[str], About("Changes that break clients")]
    dangerous: Annotated[list[str], About("Changes that clients may not expect")]
    compatible: Annotated[bool, About("Whether no change breaks clients")]


@tool(
    tags="graphql schema validate print sdl types fields summary format",
    use_when=(
        "Is this GraphQL schema valid?",
        "List the types and fields of this GraphQL schema",
        "Format and sort my schema.graphql",
    ),
    examples=(
        Example(
            {"sdl": "type Query{b:Int a(x:ID!):[User!]} type User{id:ID!}"},
            {
                "valid": True,
                "types": [
                    {"name": "Query", "kind": "object", "fields": ["a(x: ID!): [User!]", "b: Int"]},
                    {"name": "User", "kind": "object", "fields": ["id: ID!"]},
                ],
                "printed": "type Query {\n  a(x: ID!): [User!]\n  b: Int\n}\n\ntype User {\n  id: ID!\n}\n",
            },
            source="GraphQL specification, section 3",
        ),
        Example({"sdl": "type A { x: Int }"}, {"valid": False, "problems": ["Query root type must be "
            "provided."]}, source="GraphQL specification, section "
            "3.3.1"),
        Refusal({"sdl": "type {"}, "line 1"),
        Refusal({"sdl": "type Query { a: Missing }"}, "Missing"),
    ),
    reply={
        "not valid, problems": "The schema is not valid: {problems}",
        "types": "The schema is valid and defines these types: {types}",
        "": "The schema is valid.",
    },
)  # fmt: skip
def graphql_inspect_schema(sdl: Sdl) -> SchemaSummary:
    """Check a GraphQL schema and list its types.

    Use it to validate a schema or to get to know one. Returns its errors, the types with their fields, and the schema
    sorted in a uniform layout.
    """
    schema = lexicographic_sort_schema(_schema(sdl))
    own = [kind for name, kind in schema.type_map.items() if not name.startswith("__") and kind.ast_node]
    problems = [error.message for error in validate_schema(schema)]
    return {
        "valid": not problems,
        "problems": problems[:_MOST],
        "types": [_summary(kind) for kind in own],
        "printed": print_schema(schema).strip() + "\n",
    }


@tool(
    tags="graphql query check validate schema operation fields depth",
    use_when=(
        "Does this GraphQL query fit my schema?",
        "Which fields of this query do not exist?",
        "How deep is this GraphQL query nested?",
    ),
    examples=(
        Example(
            {"sdl": "type Query { me: User } type User { id: ID! }", "query": "query Q { me { id name } }"},
            {
                "valid": False,
                "operations": ["query Q"],
                "depth": 2,
                "problems": ["Cannot query field 'name' on type 'User'. (line 1)"],
            },
            source="GraphQL specification, section 5.3.1",
        ),
        Example({"sdl": "type Query { a: Int }", "query": "{ a }"}, {"valid": True, "depth": 1}, source="by hand"),
        Refusal({"sdl": "type Query { a: Int }", "query": "{ a"}, "line 1"),
    ),
    reply={
        "valid": "The query fits the schema.",
        "problems": "The query does not fit the schema: {problems}",
        "": "The query does not fit the schema.",
    },
)
def graphql_check_query(
    sdl: Sdl, query: Annotated[str, About("GraphQL document", "{ me }", min_length=1, max_length=100_000)]
) -> QueryCheck:
    """Check GraphQL operations against a schema by all rules of the specification.

    Use it before a query is sent or shipped. Returns each problem with its line, the operations, and the nesting depth
    of the selections; fragments count where they are defined.
    """
    schema = _schema(sdl)
    if faults := validate_schema(schema):
        raise ToolError(f"The schema itself is not valid: {faults[0].message}")
    document = _parse(query)
    problems = [_describe(error) for error in validate(schema, document)]
    operations = [node for node in document.definitions if hasattr(node, "operation")]
    operation_names = [f"{node.operation.value} {node.name.value if node.name else ''}".strip() for node in operations]
    depth = max((_depth(node) for node in document.definitions), default=0)
    return {"valid": not problems, "problems": problems[:_MOST], "operations": operation_names, "depth": depth}


@tool(
    tags="graphql schema compare breaking changes diff api evolution",
    use_when=(
        "Does this new GraphQL schema break clients?",
        "What breaking changes are between these two schemas?",
        "Compare my old and new schema.graphql",
    ),
    examples=(
        Example(
            {"old": "type Query { a: Int b: Int }", "new": "type Query { a: String }"},
            {"compatible": False, "dangerous": []},
            source="GraphQL specification: b is gone, and a has another type",
        ),
        Example(
            {"old": "enum E { A } type Query { e: E }", "new": "enum E { A B } type Query { e: E }"},
            {"compatible": True, "breaking": []},
            source="by hand: a new value of an enumeration may surprise, and breaks nothing",
        ),
        Example(
            {"old": "type Query { a: String b: Int }", "new": "type Query { a: String b: Float }"},
            {"compatible": False, "breaking": ["Field Query.b changed type from Int to Float."]},
            source="GraphQL specification: Int is a scalar of the language, and stays one",
        ),
        Refusal({"old": "type Query { a: Int }", "new": "nonsense"}, "line 1"),
    ),
    reply={
        "breaking": "The new schema breaks clients: {breaking}",
        "dangerous": "The new schema does not break clients, but they may not expect this: {dangerous}",
        "": "The new schema does not break clients.",
    },
)
def graphql_compare_schemas(old: Sdl, new: Sdl) -> SchemaChanges:
    """Compare two GraphQL schemas for changes that break clients.

    Use it before a new schema is deployed. Returns breaking changes, such as removed fields, and dangerous ones, such
    as new enumeration values.
    """
    before, after = _schema(old), _schema(new)
    found = [change.description for change in find_breaking_changes(before, after)]
    # Scalars of the language are available to all clients, even if the schema does not use them.
    breaking = [one for one in found if not one.startswith("Standard scalar ")]
    dangerous = [change.description for change in find_dangerous_changes(before, after)]
    return {"breaking": breaking[:_MOST], "dangerous": dangerous[:_MOST], "compatible": not breaking}


def _schema(sdl: str) -> GraphQLSchema:
    try:
        return build_schema(sdl)
    except GraphQLError as error:
        raise ToolError(f"The schema cannot be parsed: {_describe(error)}") from error
    except TypeError as error:
        raise ToolError(f"The schema cannot be built: {error}") from error


def _parse(query: str) -> Any:
    try:
        return parse(query)
    except GraphQLError as error:
        raise ToolError(f"The query cannot be parsed: {_describe(error)}") from error


def _describe(error: Any) -> str:
    place = f" (line {error.locations[0].line})" if error.locations else ""
    return f"{error.message}{place}"


def _summary(kind: Any) -> TypeSummary:
    words = {"InputObject": "input"}
    name = type(kind).__name__.removeprefix("GraphQL").removesuffix("Type")
    fields: list[str] = []
    if is_object_type(kind) or is_interface_type(kind):
        fields = [f"{key}{_arguments(one)}: {one.type}" for key, one in kind.fields.items()]
    elif is_input_object_type(kind):
        fields = [f"{key}: {one.type}" for key, one in kind.fields.items()]
    else:
        fields = list(getattr(kind, "values", None) or [one.name for one in getattr(kind, "types", [])])
    return {"name": kind.name, "kind": words.get(name, name.lower()), "fields": fields[:_MOST]}


def _arguments(field: Any) -> str:
    parts = [f"{key}: {one.type}" for key, one in field.args.items()]
    return f"({', '.join(parts)})" if parts else ""


def _depth(node: Any) -> int:
    selections = node.selection_set.selections if getattr(node, "selection_set", None) else []
    return max((_depth(one) + hasattr(one, "alias") for one in selections), default=0)

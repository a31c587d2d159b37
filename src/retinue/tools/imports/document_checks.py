"""Check the version of an API description, and explain why it has no operations."""

from collections.abc import Mapping

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.swagger import to_openapi_3

_VERSIONS = ("3.0", "3.1", "3.2")
_OTHER_KINDS: Mapping[str, str] = {
    "overlay": "This is an OpenAPI Overlay. Apply it to its document, and import the result.",
    "arazzo": "This is an Arazzo document. Import the OpenAPI documents of its sourceDescriptions.",
    "asyncapi": "This is an AsyncAPI document, which cannot be imported.",
    "discoveryVersion": "This is a Google API Discovery document. Convert it to OpenAPI first.",
    "swaggerVersion": "This is Swagger 1. Convert it to OpenAPI 3 first.",
}
"""Fields by which other kinds of documents are recognized."""


def as_openapi_3(document: dict[str, object]) -> dict[str, object]:
    """Return the document in a version that becomes tools. Raises `ValidationFailed` for other versions and kinds."""
    # YAML without quotes makes the version a number.
    version = str(document.get("openapi", ""))[:20]
    if version.startswith(_VERSIONS):
        return document
    swagger = str(document.get("swagger", ""))[:20]
    if swagger.startswith("2."):
        return to_openapi_3(document)
    raise ValidationFailed(
        f"The document must be OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0. {_hint(document, version, swagger)}"
    )


def _hint(document: Mapping[str, object], version: str, swagger: str) -> str:
    if version or swagger:
        return f"This is {'OpenAPI' if version else 'Swagger'} {version or swagger}. Convert it to OpenAPI 3.1 first."
    other = next((hint for field, hint in _OTHER_KINDS.items() if field in document), None)
    return other or 'Its field openapi is missing. Add the version, such as "openapi": "3.1.0".'


def explain_no_operations(document: Mapping[str, object]) -> str:
    """Return why a document has no operations that can be imported, and how to mend it."""
    paths = document.get("paths")
    if not paths and isinstance(paths, dict | None):
        if document.get("webhooks"):
            return "it has only webhooks, which the API sends. Only operations in paths become tools"
        return "its paths are empty. Add the operations to paths"
    if not isinstance(paths, dict):
        return "paths must be an object whose keys are paths such as /pets"
    if invalid_path := next((path for path in paths if not path.startswith(("/", "x-"))), None):
        return f"the path {invalid_path[:60]} in paths must begin with /"
    items = [(path, item) for path, item in paths.items() if isinstance(item, dict)]
    for path, item in items:
        if isinstance(reference := item.get("$ref"), str) and not reference.startswith("#"):
            return (
                f"paths.{path[:60]} refers to another document ({reference[:60]}). Bundle all files into one document"
            )
    if any("servers" in item or _has_servers(item) for _, item in items):
        return "they have servers of their own, which are not called. Move the address to servers of the document"
    return "no path has a method. Add one, such as get or post"


def _has_servers(item: Mapping[str, object]) -> bool:
    return any(isinstance(one, dict) and "servers" in one for one in item.values())

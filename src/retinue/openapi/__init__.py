"""The OpenAPI 3.1 document, made from the declarations of the operations themselves."""

from retinue.openapi.document import build

__all__ = ["build"]

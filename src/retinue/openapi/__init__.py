"""Generates the OpenAPI 3.1 document from the declarations of the operations.

HTML pages belong in `reference`, not here.
"""

from retinue.openapi.document import build

__all__ = ["build"]

"""The OpenAPI 3.1 document, made from the declarations of the operations themselves.

Pages for people do not belong here but to `reference`.
"""

from retinue.openapi.document import build

__all__ = ["build"]

"""The API reference for people and programs: the page at /docs and the OpenAPI document.

Pages that show a user's own data are not part of this package; see `portal`.
"""

from retinue.reference.routes import Reference

__all__ = ["Reference"]

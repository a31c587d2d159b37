"""The API reference for people and programs: the page at /docs and the OpenAPI document.

Pages that show a user's own data do not belong here but to `portal`.
"""

from retinue.reference.routes import Reference

__all__ = ["Reference"]

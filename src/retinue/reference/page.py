from retinue.auth.plans import Plans
from typing import Any
def render(document: Any, plans: Plans, address: str, style_tag: str) -> str:
    return ""

"""A model that does what the user's message says, so that programs can be led through their tools.

`[[tool:NAME {"argument": 1}]]` in the user's last message is a call. Several of them are called one after the other,
each after the result of the one before. After the last result, the reply repeats it. Requests without these tools, such
as those for a title, are answered with text. A schema for the reply, or for a call that the request demands, gets an
instance of it.
"""

import json
import re
from typing import Any

from tests.support.model_server import Answer, ModelServer

_CALL = re.compile(r"\[\[tool:([\w.-]+) (\{.*?\})\]\]", re.DOTALL)


class ScriptedModel(ModelServer):
    """Reads its script in each request."""

    def own_answer(self, body: dict[str, Any]) -> Answer:
        """Return the next step of the script in the user's last message that has one."""
        messages = body["messages"]
        at = max((at for at, one in enumerate(messages) if one["role"] == "user"), default=0)
        asked = _text(messages[at]["content"])
        results = [_text(one["content"]) for one in messages[at + 1 :] if one["role"] == "tool"]
        offered = {tool["function"]["name"] for tool in body.get("tools", ())}
        steps = [(name, json.loads(arguments)) for name, arguments in _CALL.findall(asked) if name in offered]
        if len(results) < len(steps):
            name, arguments = steps[len(results)]
            return Answer(tool=name, arguments=arguments)
        if body.get("tool_choice") == "required":
            forced = body["tools"][0]["function"]
            return Answer(tool=forced["name"], arguments=_instance(forced["parameters"], {}))
        if form := body.get("response_format", {}).get("json_schema"):
            return Answer(json.dumps(_instance(form["schema"], form["schema"].get("$defs", {}))))
        if results:
            return Answer(f"The tool said: {results[-1]}")
        media = [part["type"] for part in messages[at]["content"] if isinstance(part, dict) and part["type"] != "text"]
        return Answer(f"You sent: {', '.join(media)}" if media else f"You said: {asked}")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if part["type"] == "text")


def _instance(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """Return a small instance of a schema."""
    if reference := schema.get("$ref"):
        return _instance(definitions[reference.rpartition("/")[2]], definitions)
    if choices := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
        return choices[0]
    match schema.get("type"):
        case "object":
            return {name: _instance(one, definitions) for name, one in schema.get("properties", {}).items()}
        case "array":
            return [_instance(schema.get("items", {}), definitions)]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return "Oslo"

"""The schema of what a call of an MCP tool returns."""

from retinue.tools.imports.schema_trimming import Schema

RESULT_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "text": {
            "type": "string",
            "description": "Text of the server's response; empty if it only repeats `structured`.",
        },
        "structured": {"description": "Structured content of the response, or null."},
        "content": {
            "type": "array",
            "description": (
                "Other content of the response: images, audio and resources. Binary content is stored as "
                "files of your account."
            ),
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "description": "image, audio, resource or resource_link."},
                    "file": {"type": "string", "description": "ID of the file with the binary content."},
                    "media_type": {"type": "string", "description": "Media type."},
                    "uri": {"type": "string", "description": "URI of the resource."},
                    "name": {"type": "string", "description": "Name of a linked resource."},
                    "description": {"type": "string", "description": "Description of a linked resource."},
                    "text": {"type": "string", "description": "Text of a resource."},
                },
            },
        },
    },
}
"""The fields of every tool's result."""

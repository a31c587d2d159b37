"""The schema of what a call of an MCP tool returns."""

from retinue.tools.imports.schema_trimming import Schema

RESULT_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What the server says; empty where it only repeats `structured`."},
        "structured": {"description": "The structured content of the answer, or null."},
        "content": {
            "type": "array",
            "description": "What else is in the answer: images, audio and resources; bytes are kept as files of yours.",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "description": "image, audio, resource or resource_link."},
                    "file": {"type": "string", "description": "Id of the file that holds the bytes."},
                    "media_type": {"type": "string", "description": "Media type."},
                    "uri": {"type": "string", "description": "What the server calls the resource."},
                    "name": {"type": "string", "description": "The name of a linked resource."},
                    "description": {"type": "string", "description": "What a linked resource is."},
                    "text": {"type": "string", "description": "The text of a resource."},
                },
            },
        },
    },
}
"""The fields of every tool's result."""

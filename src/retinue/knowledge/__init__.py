"""Collections of documents that agents answer from: reading, splitting, indexing, and search by words and meaning.

The documents of the tools `knowledge_*` belong to `workspace`. Putting passages into prompts belongs to `runs`.
"""

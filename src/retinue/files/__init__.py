"""Files: uploaded once, then read by their owner, by tools and by models.

Extracting content, such as the text of a PDF, does not belong here but to the tools; passages for search belong to
`workspace`.
"""

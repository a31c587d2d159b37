"""The kernel that every domain package uses, in packages by subject; `errors` is what all of them may raise.

Code that names an agent, a run, a tool or a call does not belong here, nor does the processing of language.
"""

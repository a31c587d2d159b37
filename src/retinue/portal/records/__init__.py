"""What a person keeps by chat: tasks, checklists, notes, calendar events, contacts and expenses.

Tools write these records. The pages only show and delete them, and tick tasks off, with the functions of the tools.
"""

"""What each scope lets an app do, in the words of the consent page. A tool may do more than its name says."""

MEANINGS = {
    "*": "do everything that you can, except manage keys, sessions and apps, and act as an operator",
    "agents:read": "see your agents, their skills, runs, approvals and schedules",
    "agents:write": "create, change, deploy, execute, stop and delete agents, schedules and skills, and decide "
    "approvals; agents use tools, which can change and delete your files and data and send messages through your "
    "connections",
    "chat:read": "see your conversations and the models",
    "chat:write": "chat as you, and rename and delete conversations; a chat can use tools, which can change and delete "
    "your files and data and send messages through your connections",
    "tools:read": "see your tools, collections of documents and what your agents remember, and see and download your "
    "files",
    "tools:execute": "execute tools, upload and delete files, create, change, search and delete collections of "
    "documents, keep them in step with websites, folders, repositories and buckets, also with private ones that your "
    "connections open, and change what your agents remember; tools can read, change and delete your files, notes, "
    "memories and other data, and send requests and messages such as mail through your connections",
    "fleets:read": "see your fleets and their deployments",
    "fleets:write": "create, change, deploy and delete fleets, and cancel deployments; their agents use tools, which "
    "can change and delete your files and data and send messages through your connections",
    "voice:read": "see your calls, batches of calls and do-not-call list, what was said, your rooms and who is in them",
    "voice:write": "start calls and batches of calls and control them, delete batches, change your do-not-call list, "
    "create, join and delete rooms, and mute and remove participants",
    "marketplace:read": "browse the marketplace and see what you installed",
    "marketplace:write": "install and uninstall items of the marketplace, and rate them as you",
    "marketplace:publish": "publish, change and withdraw items of the marketplace in your name",
    "usage:read": "see and export your usage",
}

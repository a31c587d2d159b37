"""What each scope lets an app do, in the words of the consent page. A tool may do more than its name says."""

from retinue.language.translation import gettext_noop

MEANINGS = {
    "*": gettext_noop("do everything that you can, except manage keys, sessions and apps, and act as an operator"),
    "agents:read": gettext_noop("see your agents, their skills, runs, approvals, schedules and simulations"),
    "agents:write": gettext_noop(
        "create, change, deploy, execute, simulate, stop and delete agents, schedules and skills, and decide "
        "approvals; agents use tools, which can change and delete your files and data and send messages through your "
        "connections"
    ),
    "chat:read": gettext_noop("see your conversations and the models"),
    "chat:write": gettext_noop(
        "chat as you, and rename and delete conversations; a chat can use tools, which can change and delete "
        "your files and data and send messages through your connections"
    ),
    "tools:read": gettext_noop(
        "see your tools, collections of documents and what your agents remember, and see and download your files"
    ),
    "tools:execute": gettext_noop(
        "execute tools, upload and delete files, create, change, search and delete collections of "
        "documents, keep them in step with websites, folders, repositories and buckets, also with private ones that "
        "your connections open, and change what your agents remember; tools can read, change and delete your files, "
        "notes, memories and other data, and send requests and messages such as mail through your connections"
    ),
    "fleets:read": gettext_noop("see your fleets and their deployments"),
    "fleets:write": gettext_noop(
        "create, change, deploy and delete fleets, and cancel deployments; their agents use tools, which "
        "can change and delete your files and data and send messages through your connections"
    ),
    "voice:read": gettext_noop(
        "see your calls, batches of calls and do-not-call list, what was said, your rooms and who is in them"
    ),
    "voice:write": gettext_noop(
        "start calls and batches of calls and control them, delete batches, change your do-not-call list, "
        "create, join and delete rooms, and mute and remove participants"
    ),
    "marketplace:read": gettext_noop("browse the marketplace and see what you installed"),
    "marketplace:write": gettext_noop("install and uninstall items of the marketplace, and rate them as you"),
    "marketplace:publish": gettext_noop("publish, change and withdraw items of the marketplace in your name"),
    "usage:read": gettext_noop("see and export your usage"),
}

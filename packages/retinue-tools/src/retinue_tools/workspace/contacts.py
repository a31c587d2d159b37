"""Contacts."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import RecordKind, ToolContext
from retinue_tools.workspace._vocabulary import Deleted, Kept, Most, Query, Skipped, Tag, Tags, has_tag


class Contact(Kept):
    """A person or an organisation."""

    name: Annotated[str, About("Full name")]
    email: Annotated[str, About("E-mail address")]
    phone: Annotated[str, About("Telephone number")]
    organisation: Annotated[str, About("Organisation")]
    address: Annotated[str, About("Postal address")]
    notes: Annotated[str, About("Notes")]
    tags: Annotated[list[str], About("Tags")]


class Contacts(TypedDict):
    """Some contacts."""

    contacts: list[Contact]
    total: Annotated[int, About("Total number of contacts")]


_FIELDS = ("name", "email", "phone", "organisation", "address", "notes", "tags")
CONTACTS: RecordKind[Contact] = RecordKind("contact", "name", _FIELDS)

Name = Annotated[str, About("Full name", "Ada Lovelace", min_length=1, max_length=200)]
Email = Annotated[str, About("E-mail address", "ada@example.com", max_length=254)]
Phone = Annotated[str, About("Telephone number", "+44 20 7946 0000", max_length=50)]
Organisation = Annotated[str, About("Organisation", "Analytical Engines", max_length=200)]
Address = Annotated[str, About("Postal address", "12 St James's Square, London", max_length=500)]
Notes = Annotated[str, About("Notes", "Likes mathematics", max_length=5000)]


class Changes(TypedDict, total=False):
    """Fields of a contact to change."""

    name: Name
    email: Email
    phone: Phone
    organisation: Organisation
    address: Address
    notes: Notes
    tags: Tags


ContactId = Annotated[str, About("ID of the contact, or the exact name", "ada-lovelace", min_length=1, max_length=200)]


@tool(
    tags="contact person address book create save add phone email",
    use_when=(
        "Save Ada's phone number and e-mail address",
        "Add the plumber to my contacts",
        "Remember that this person works at the bank",
        "Save somebody's phone number",
        "Add a person to my address book",
        "Save a contact: Maria, maria@example.com, +34 600 123 456",
        "Save Carla's number: +39 333 1234567",
        "New contact: Dr. Simon, simon@example.com",
        "Ben's number is 0176 5554433, save it",
        "Save Paula's e-mail address: paula@example.com",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"name": "Ada Proof", "email": "ada@example.com", "tags": ["maths"]},
            {"id": "ada-proof", "email": "ada@example.com", "phone": "", "tags": ["maths"]},
            source="by hand: the id is the words of the name",
        ),
        Example({"name": "Bare Proof"}, {"name": "Bare Proof", "organisation": ""}, source="by hand"),
        Refusal({"name": ""}, "name must have at least 1 character"),
    ),
    reply={
        "email, phone": "I saved the contact \u201c{name}\u201d with {email} and {phone}.",
        "email": "I saved the contact \u201c{name}\u201d with {email}.",
        "phone": "I saved the contact \u201c{name}\u201d with {phone}.",
        "": "I saved the contact \u201c{name}\u201d.",
    },
)
async def contact_create(
    context: ToolContext,
    name: Name,
    email: Email = "",
    phone: Phone = "",
    organisation: Organisation = "",
    address: Address = "",
    notes: Notes = "",
    tags: Tags | None = None,
) -> Contact:
    """Save a person or an organisation with contact details (how to reach them).

    Use it so that names in later requests can be resolved to addresses. Returns the contact with its id.
    """
    fields = {"name": name, "email": email, "phone": phone, "organisation": organisation, "address": address}
    return await context.items(CONTACTS).add({**fields, "notes": notes, "tags": tags or []})


@tool(
    tags="contact person address book search find look up phone email list",
    use_when=(
        "What is Ada's e-mail address?",
        "Find the plumber's number",
        "Who do I know at the bank?",
        "What is Anna's phone number?",
        "Look up an address in my address book",
        "What's Maria's email?",
        "What is Carla's phone number?",
        "Do I have the number of Dr. Simon?",
        "Show my contacts",
        "Do you know Ben's number?",
        "Which e-mail address does Paula use?",
    ),
    examples=(
        Example(
            {"query": "locksmith"},
            {"contacts": [{"name": "Kim Proof", "phone": "+44 20 7946 0001"}]},
            source="by hand: no other contact has the word",
            before=(
                ExampleCall(
                    "contact_create", {"name": "Kim Proof", "phone": "+44 20 7946 0001", "notes": "The locksmith"}
                ),
            ),
        ),
        Example(
            {"tag": "proof-circle"},
            {"contacts": [{"name": "Tagged Person"}]},
            source="by hand: no other contact has the tag",
            before=(ExampleCall("contact_create", {"name": "Tagged Person", "tags": ["proof-circle"]}),),
        ),
        Refusal({"query": "x", "limit": 1000}, "limit must be at most 200"),
    ),
    reply={
        "contacts.1": "The contacts: {contacts}",
        "contacts.0.phone, contacts.0.email": "{contacts.0.name}: {contacts.0.phone}, {contacts.0.email}.",
        "contacts": "The contact: {contacts}",
        "": "There is no such contact.",
    },
)
async def contact_search(
    context: ToolContext, query: Query | None = None, tag: Tag | None = None, limit: Most = 20, skip: Skipped = 0
) -> Contacts:
    """Find contacts by any words of their name, organisation, address or notes, or list the newest.

    A tag narrows both. Returns the contacts, best first, and their total number.
    """
    items = context.items(CONTACTS)
    found = await items.find(query, limit, skip, lambda contact: has_tag(contact, tag))
    return {"contacts": found, "total": await items.count()}


@tool(
    tags="contact person address book update change edit phone email",
    use_when=(
        "Ada has a new phone number",
        "Change the address of the plumber",
        "Add to Kim's notes that she speaks French",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"contact": "Moving Person", "changes": {"email": "new@example.com"}},
            {"name": "Moving Person", "email": "new@example.com", "phone": "1"},
            source="by hand",
            before=(
                ExampleCall("contact_create", {"name": "Moving Person", "email": "old@example.com", "phone": "1"}),
            ),
        ),
        Refusal({"contact": "nobody at all", "changes": {"email": "a@example.com"}}, "There is no contact"),
    ),
    reply="I changed the contact \u201c{name}\u201d.",
)
async def contact_update(
    context: ToolContext,
    contact: ContactId,
    changes: Annotated[Changes, About("Fields to change", {"phone": "+44 20 7946 0001"})],
) -> Contact:
    """Change the details of a contact. Only the given fields change; an empty one is cleared."""
    return await context.items(CONTACTS).change(contact, changes)


@tool(
    tags="contact person address book delete remove",
    use_when=(
        "Delete the plumber from my contacts",
        "Remove Ada's entry",
        "Forget this person's address",
        "Delete the contact Maria",
        "Remove Carla from my contacts",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"contact": "Leaving Person"},
            {"id": "leaving-person", "deleted": True},
            source="by hand",
            before=(ExampleCall("contact_create", {"name": "Leaving Person"}),),
        ),
        Refusal({"contact": "leaving-person"}, "There is no contact"),
    ),
    reply="I deleted the contact \u201c{args.contact}\u201d.",
)
async def contact_delete(context: ToolContext, contact: ContactId) -> Deleted:
    """Permanently delete a contact, by its id or its exact name. Returns the id of the deleted contact."""
    return {"id": (await context.items(CONTACTS).remove(contact))["id"], "deleted": True}

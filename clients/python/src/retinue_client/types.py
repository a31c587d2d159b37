"""The objects of the API.

Made from the server's OpenAPI document by `make client`; changes belong there. Records are what the server answers
with. The TypedDicts hold the arguments of methods.
"""

from __future__ import annotations

from typing import Any, Literal, Required, TypedDict

from retinue_client._records import Record


class Account(Record):
    """A user, as that user sees it."""

    id: int
    """The user's id."""
    email: str
    """The user's e-mail address."""
    name: str
    """What the user is called."""
    plan: str
    """The plan."""
    operator: bool
    """Whether the user operates this server."""
    has_password: bool
    """Whether the user can sign in with a password."""
    second_factor: bool
    """Whether signing in takes a code as well."""
    recovery_codes_left: int
    """Recovery codes that were not used yet."""
    created_at: str
    """When the user was made."""


class Agent(Record):
    """An agent. `task` is absent until it has one."""

    id: int
    """The agent's id."""
    agent_name: str
    """What it is called."""
    agent_role: Literal["leader", "specialist", "generalist", "reviewer"]
    """How it works."""
    task: str | None = None
    """What it works on when it is deployed."""
    skills: list[str]
    """Names of the tools that it may use."""
    fleet_id: int | None
    """The fleet that it is attached to."""
    status: Literal["idle", "working", "error"]
    """`working` while a run goes on or it stands deployed, `error` after a failure."""
    voice_enabled: bool
    """Whether calls may come in to it."""
    voice_engine: Literal["hibari", "kokoro", "piper", "openai"]
    """The engine that speaks for it."""
    approval: Literal["none", "required"]
    """`required`: a person must approve each call that deletes or overwrites what is there, or goes out to the
    world.
    """
    monthly_tokens: int | None
    """Tokens that its runs may use in a calendar month; null means any number."""
    monthly_credits: int | None
    """Credits that its runs may use in a calendar month; null means any number."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was last changed."""


class AgentCompleted(Record):
    """An agent completed a task."""

    agent_id: int
    agent_name: str
    run_id: int
    reply: str
    tools_used: list[str]
    tokens_used: int
    execution_time_ms: int


class AgentCreated(Record):
    """An agent was created."""

    agent_id: int
    agent_name: str
    agent_role: str
    fleet_id: int | None
    status: Literal["idle"]


class AgentDeleted(Record):
    """The id of what is gone."""

    id: int
    """The agent's id."""
    agent_id: int
    """The same."""
    deleted: Literal[True]


class AgentDeployed(Record):
    """An agent was deployed or started."""

    agent_id: int
    agent_name: str
    fleet_id: int | None
    status: Literal["working"]


class AgentError(Record):
    """An agent's run failed."""

    agent_id: int
    agent_name: str
    run_id: int
    error: str


class App(Record):
    """An OAuth app. Its secret is shown when it is made, and never again."""

    id: int
    """The app's id."""
    client_id: str
    """The client identifier of the protocol."""
    name: str
    """What users see when they are asked for consent."""
    redirect_uris: list[str]
    """Where users may be sent back to."""
    scopes: list[str]
    """The most that the app may ask for."""
    public: bool
    """Whether it is a public client, which has no secret."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was last changed."""


class AppDeleted(Record):
    """The id of what is gone."""

    id: int
    """The app's id."""
    deleted: Literal[True]


class AppSecret(Record):
    """An app with its secret, which is shown this once."""

    id: int
    """The app's id."""
    client_id: str
    """The client identifier of the protocol."""
    name: str
    """What users see when they are asked for consent."""
    redirect_uris: list[str]
    """Where users may be sent back to."""
    scopes: list[str]
    """The most that the app may ask for."""
    public: bool
    """Whether it is a public client, which has no secret."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was last changed."""
    client_secret: str | None
    """The client secret; null for a public client."""


class Approval(Record):
    """A tool call that waits, or waited, for a person."""

    id: int
    """The approval's id."""
    run_id: int
    """The run that waits for it."""
    agent_id: int | None
    """The agent at work."""
    tool: str
    """The tool to be called."""
    arguments: Any
    """What it is to be called with."""
    status: Literal["pending", "approved", "denied", "cancelled"]
    """Where it stands; cancelled once its run is over."""
    reason: str | None
    """What the person said to it."""
    created_at: str
    """When it was asked for."""
    decided_at: str | None
    """When it was decided."""


class ApprovalRequested(Record):
    """A run waits for a person to approve a tool call."""

    approval_id: int
    run_id: int
    agent_id: int | None
    tool: str


class Attempt(Record):
    """One attempt to deliver."""

    number: int
    """Which attempt, from 1."""
    started_at: str | None
    """When it began; null where its process ended before its outcome."""
    status: int | None
    """The HTTP status of the answer; null where none came."""
    milliseconds: int | None
    """How long it took."""
    answer: str | None
    """The first KiB of the answer's body."""
    error: str | None
    """Why it failed."""


class AuditEntry(Record):
    """A change of your account, or an attempt to sign in."""

    id: int
    """The entry's id."""
    action: Literal[
        "user.created",
        "user.plan_changed",
        "user.suspended",
        "user.restored",
        "user.revoked",
        "user.promoted",
        "user.deleted",
        "account.updated",
        "password.changed",
        "totp.enabled",
        "totp.disabled",
        "totp.recovery_codes_renewed",
        "sign_in.succeeded",
        "sign_in.failed",
        "sign_in.link_created",
        "session.signed_out",
        "session.revoked",
        "session.others_revoked",
        "key.created",
        "key.updated",
        "key.rotated",
        "key.revoked",
        "webhook.created",
        "webhook.updated",
        "webhook.deleted",
        "webhook.secret_rotated",
        "webhook.secret_switched",
        "source.created",
        "source.updated",
        "source.refreshed",
        "source.deleted",
        "connection.created",
        "connection.updated",
        "connection.deleted",
        "schedule.created",
        "schedule.updated",
        "schedule.deleted",
        "app.created",
        "app.updated",
        "app.secret_rotated",
        "app.deleted",
        "grant.created",
        "grant.revoked",
        "item.published",
        "item.changed",
        "item.moderated",
        "item.installed",
        "item.uninstalled",
        "account.exported",
    ]
    """What was done."""
    target_id: int | None
    """The id of the record that was changed, such as the key's."""
    detail: str | None
    """What changed, where the action alone does not say it."""
    credential: str
    """What acted: `key:ID`, `session:ID`, `password`, `link`, or `operator` for the command line."""
    sandbox: bool
    """Whether a test key acted."""
    address: str | None
    """The client's address, an IPv6 address as its /64 network; null for the operator."""
    request_id: str | None
    """The `X-Request-ID` of the request; null for the operator."""
    created_at: str
    """When it was done."""


class Call(Record):
    """A voice call."""

    id: int
    """The call's id."""
    room_name: str
    """`call-` and the id."""
    status: Literal["queued", "ringing", "in_progress", "completed", "busy", "no_answer", "failed", "cancelled"]
    """`queued`, `ringing` and `in_progress`; the others are final."""
    direction: Literal["outbound", "inbound"]
    """Who called: the platform, or the other side."""
    to: str
    """Who is called."""
    caller: str | None
    """Who called the platform; null on a call that the platform made."""
    agent_id: int | None
    """The agent that speaks; null for the built-in assistant."""
    duration_seconds: int
    """Seconds since the answer, a begun one counted whole."""
    participants: int
    """How many take part, or took part: 1 until the answer, then 2."""
    voice_engine: Literal["hibari", "kokoro", "piper", "openai"]
    """The engine that speaks."""
    machine_detection: Literal["enable", "hangup", "detect_message_end"] | None
    """How answering machines are looked for, if at all."""
    answered_by: Literal["human", "machine", "unknown"] | None
    """Who answered, once that is known; null without `machine_detection`."""
    transcript: str
    """What was said, a line a turn: `agent: …` or `caller: …`."""
    conversation_id: str | None
    """The conversation with the messages and tools of this call."""
    recording_file_id: str | None
    """The file with the recording, once the call has ended."""
    error: str | None
    """Why the call failed, or what the other side answered."""
    created_at: str
    """When the call was dialled, or came in."""
    answered_at: str | None
    """When it was answered."""
    ended_at: str | None
    """When it ended."""


class Category(Record):
    """A category and how many tools it holds."""

    slug: Literal[
        "text",
        "data_formats",
        "data_analysis",
        "math",
        "statistics",
        "graphs",
        "science",
        "finance",
        "datetime",
        "geo",
        "identifiers",
        "documents",
        "media",
        "web",
        "security",
        "code",
        "workspace",
    ]
    """Names it in filters."""
    name: str
    """Its name for people."""
    count: int
    """Tools in it."""


class ChatDoneChunk(Record):
    """The answer is complete."""

    type: Literal["done"]
    run_id: int
    tools_used: list[str]
    tokens_used: int
    execution_time_ms: int
    conversation_id: str
    model: str


class ChatReply(Record):
    """The answer of a chat."""

    reply: str
    """What the model answered."""
    conversation_id: str
    """Send it again to go on with the conversation."""
    model: str
    """The name that was asked for."""
    tools_used: list[str]
    """Names of the tools that were run."""
    tokens_used: int
    """Tokens of all model calls together."""
    execution_time_ms: int
    """How long it took."""


class Connection(Record):
    """A connection. Its secret is never shown."""

    id: int
    """The connection's id."""
    name: str
    """Names it in arguments of tools and in sources."""
    kind: Literal["http", "mail", "telegram", "chat_webhook", "webhook", "ntfy"]
    """What it opens."""
    settings: dict[str, Any]
    """What may be shown of it; the fields are the kind's own."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was last changed."""
    last_used_at: str | None
    """When a tool or a source last used it, to the minute."""
    last_test: ConnectionTest | None
    """How the last test since its last change ended."""


class ConnectionDeleted(Record):
    """The id of what is gone."""

    id: int
    """The connection's id."""
    deleted: Literal[True]


class ConnectionKind(Record):
    """A kind of connection."""

    kind: Literal["http", "mail", "telegram", "chat_webhook", "webhook", "ntfy"]
    """Its name."""
    description: str
    """What it opens."""
    testable: bool
    """Whether POST /connections/{id}/test can try it."""
    settings: dict[str, Any]
    """The JSON Schema of its settings."""
    secret: dict[str, Any]
    """The JSON Schema of its secret."""


class ConnectionTest(Record):
    """How a test ended."""

    ok: bool
    """Whether the other side accepts the secret."""
    message: str
    """What the other side said."""
    tested_at: str
    """When it was tested."""


class Conversation(Record):
    """An entry of the list of conversations."""

    conversation_id: str
    """The conversation's id."""
    title: str
    """The beginning of its first message."""
    model: str
    """The model that was last used in it."""
    message_count: int
    """Messages in it, those of tools included."""
    last_message: str
    """The first 200 characters of what was last said."""
    created_at: str
    """When it began."""
    updated_at: str
    """When something was last said."""


class ConversationDeleted(Record):
    """The id of what is gone."""

    conversation_id: str
    deleted: Literal[True]


class Delivery(Record):
    """The delivery of one event to one endpoint."""

    id: str
    """The delivery's id: `X-Webhook-Delivery` of all its attempts."""
    event_id: str
    """The event's id, the same in a replay."""
    event: str
    """The event's name."""
    status: Literal["pending", "delivered", "failed", "cancelled"]
    """`cancelled` where the endpoint was disabled before it was delivered."""
    attempts: int
    """Attempts that were begun."""
    next_attempt_at: str | None
    """When it is tried again, while it waits for that."""
    created_at: str
    """When the delivery was made."""
    ended_at: str | None
    """When it was over."""


class DeliveryDetails(Record):
    """A delivery with every attempt."""

    id: str
    """The delivery's id: `X-Webhook-Delivery` of all its attempts."""
    event_id: str
    """The event's id, the same in a replay."""
    event: str
    """The event's name."""
    status: Literal["pending", "delivered", "failed", "cancelled"]
    """`cancelled` where the endpoint was disabled before it was delivered."""
    attempts: int
    """Attempts that were begun."""
    next_attempt_at: str | None
    """When it is tried again, while it waits for that."""
    created_at: str
    """When the delivery was made."""
    ended_at: str | None
    """When it was over."""
    log: list[Attempt]
    """Every attempt whose outcome is known, the first one first."""


class Deployment(Record):
    """A deployment."""

    deployment_id: int
    """The deployment's id."""
    fleet_id: int
    """The fleet at work."""
    status: Literal["running", "completed", "failed", "timed_out", "cancelled"]
    """Where it stands."""
    strategy: Literal["parallel", "sequential", "round-robin"]
    """How the agents share the work."""
    task: str | None
    """The task; null where each agent works on its own."""
    timeout: int
    """Seconds that it may take."""
    agents: list[int]
    """Ids of the agents that take part."""
    agents_deployed: int
    """How many they are."""
    started_at: str
    """When it began."""
    result: Result | None
    """What came of it; null while it runs."""
    error: str | None
    """Why it did not come to its end."""
    ended_at: str | None
    """When it was over."""


class DeploymentBegun(Record):
    """A deployment that has just begun."""

    deployment_id: int
    """The deployment's id."""
    fleet_id: int
    """The fleet at work."""
    status: Literal["running", "completed", "failed", "timed_out", "cancelled"]
    """Where it stands."""
    strategy: Literal["parallel", "sequential", "round-robin"]
    """How the agents share the work."""
    task: str | None
    """The task; null where each agent works on its own."""
    timeout: int
    """Seconds that it may take."""
    agents: list[int]
    """Ids of the agents that take part."""
    agents_deployed: int
    """How many they are."""
    started_at: str
    """When it began."""
    message: str
    """The same in a sentence."""


class DeploymentDetails(Record):
    """A deployment with every part."""

    deployment_id: int
    """The deployment's id."""
    fleet_id: int
    """The fleet at work."""
    status: Literal["running", "completed", "failed", "timed_out", "cancelled"]
    """Where it stands."""
    strategy: Literal["parallel", "sequential", "round-robin"]
    """How the agents share the work."""
    task: str | None
    """The task; null where each agent works on its own."""
    timeout: int
    """Seconds that it may take."""
    agents: list[int]
    """Ids of the agents that take part."""
    agents_deployed: int
    """How many they are."""
    started_at: str
    """When it began."""
    result: Result | None
    """What came of it; null while it runs."""
    error: str | None
    """Why it did not come to its end."""
    ended_at: str | None
    """When it was over."""
    parts: list[Part]
    """What each agent does, in order."""


class DeploymentEnded(Record):
    """The deployment is over: nothing follows."""

    type: Literal["deployment_end"]
    deployment_id: int
    """The deployment's id."""
    status: Literal["running", "completed", "failed", "timed_out", "cancelled"]
    """How it ended."""
    result: Result
    """What came of it."""
    error: str | None
    """Why it did not come to its end."""
    ended_at: str
    """When it was over."""


class DeploymentStarted(Record):
    """The fleet was set to work."""

    type: Literal["deployment_start"]
    deployment_id: int
    """The deployment's id."""
    fleet_id: int
    """The fleet at work."""
    strategy: Literal["parallel", "sequential", "round-robin"]
    """How the agents share the work."""
    task: str | None
    """The task; null where each agent works on its own."""
    timeout: int
    """Seconds that it may take."""
    agents: list[int]
    """Ids of the agents that take part."""
    started_at: str
    """When it began."""


class DoneChunk(Record):
    """The run is complete."""

    type: Literal["done"]
    run_id: int
    tools_used: list[str]
    tokens_used: int
    execution_time_ms: int


class Effects(Record):
    """What a call of a tool may do beside returning its result."""

    reads: bool
    """It reads what the account keeps, or what others publish."""
    changes: bool
    """It changes something; a call that only reads can be repeated freely."""
    destroys: bool
    """It may delete or overwrite something."""
    goes_out: bool
    """It reaches other hosts."""


class Executed(Record):
    """The answer of a run that the caller waited for."""

    reply: str
    """What the agent answered."""
    tools_used: list[str]
    """Names of the tools that were run."""
    execution_time_ms: int
    """How long it took."""
    run_id: int
    """The run, to look its steps up."""
    tokens_used: int
    """Tokens of all model calls together."""


class Export(Record):
    """An export of your account."""

    id: int
    """The export's id."""
    status: Literal["queued", "running", "completed", "failed"]
    """How far it is."""
    file_id: str | None
    """The zip archive among your files once it is completed: GET /files/{file_id}/content."""
    error: str | None
    """Why it failed."""
    created_at: str
    """When it was asked for."""
    ended_at: str | None
    """When it was completed, or failed."""


class Failure(Record):
    """A part that came to nothing."""

    part: int
    """The part's number."""
    agent_id: int
    """Who worked on it."""
    agent_name: str
    """What that agent is called."""
    error: str
    """Why it came to nothing."""


class File(Record):
    """An uploaded file."""

    id: str
    """The file's id."""
    name: str
    """What it was called, without folders."""
    media_type: str
    """Its type, as the client told it."""
    size: int
    """In bytes."""
    sha256: str
    """Of the content, in hexadecimal."""
    created_at: str
    """When it was uploaded."""


class FileDeleted(Record):
    """The id of what is gone."""

    id: str
    deleted: Literal[True]


class Fleet(Record):
    """A fleet."""

    id: int
    """The fleet's id."""
    name: str
    """What it is called."""
    description: str
    """What it is for."""
    status: Literal["active", "working"]
    """`working` while a deployment runs, else `active`."""
    max_agents: int
    """How many agents may be attached to it."""
    auto_scale: bool
    """Whether temporary copies of its agents help while parts wait."""
    agent_count: int
    """How many agents are attached to it."""
    tasks_completed: int
    """How many parts of its deployments were completed."""
    created_at: str
    """When it was made."""


class FleetCreated(Record):
    """A fleet was created."""

    fleet_id: int
    name: str
    max_agents: int
    auto_scale: bool
    status: Literal["active"]


class FleetDeleted(Record):
    """The id of what is gone."""

    id: int
    """The fleet's id."""
    fleet_id: int
    """The same."""
    deleted: Literal[True]


class FleetDeployed(Record):
    """A fleet deployment started."""

    fleet_id: int
    deployment_id: int
    strategy: str
    task: str | None
    agents: list[int]


class Grant(Record):
    """What you have granted to an app."""

    id: int
    """The grant's id."""
    client_id: str
    """The app's client identifier."""
    app_name: str
    """The app's name."""
    kind: Literal["code", "client"]
    """`code` where you consented; `client` where your own app acts by its credentials."""
    scopes: list[str]
    """What the app may do for you."""
    created_at: str
    """When you granted it."""


class GrantDeleted(Record):
    """The id of what is gone."""

    id: int
    """The grant's id."""
    deleted: Literal[True]


class History(Record):
    """A day's use of one kind of resource."""

    date: str
    """The day in UTC, as YYYY-MM-DD."""
    resource_type: Literal["tools", "agents", "chat", "voice"]
    """What was used."""
    count: int
    """Executions, runs, messages or calls."""
    errors: int
    """How many of them failed."""
    tokens: int
    """Tokens of model calls."""
    credits: int
    """What executions of tools cost."""
    seconds: float
    """How long they took together."""


class IceServer(Record):
    """A STUN or TURN server for browsers."""

    urls: str
    """Its URL, such as `stun:stun.example.com:3478`."""


class Installation(Record):
    """What an item made in your account."""

    id: int
    """The installation's id."""
    item_id: int
    """The item."""
    type: Literal["agent", "tool", "fleet_template", "extension"]
    """What the item is."""
    name: str
    """What the item is called."""
    version: str
    """The version that was installed."""
    installed: list[InstalledResource]
    """What it made."""
    needs: Literal["none", "optional", "required"]
    """Whether the API of a tool wants a credential: install it with a connection."""
    installed_at: str
    """When it was installed."""


class InstallationDeleted(Record):
    """The id of what is gone."""

    id: int
    """The installation's id."""
    deleted: Literal[True]


class InstalledResource(Record):
    """Something that an installation made."""

    resource: Literal["agent", "fleet", "tool", "extension", "webhook"]
    """What it is."""
    id: int
    """Its id; of a tool, that of its source; of an extension, that of its schedule."""
    name: str
    """What it is called."""


class Item(Record):
    """An item of the marketplace."""

    id: int
    """The item's id."""
    type: Literal["agent", "tool", "fleet_template", "extension"]
    """What it is."""
    name: str
    """What it is called."""
    slug: str
    """Its name in addresses."""
    description: str
    """What it does."""
    author: str
    """Who published it."""
    version: str
    """Its newest version."""
    tier: Literal["free", "starter", "pro", "enterprise"]
    """The tier that a plan must include to install it."""
    tags: list[str]
    """Words to find it by."""
    status: Literal["pending", "published", "rejected", "withdrawn"]
    """`published`; others see nothing of an item with another status."""
    pending_version: str | None
    """A newer version that waits for the operator; null for none."""
    rating: float
    """The mean of its ratings, 0 to 5."""
    ratings_count: int
    """How many have rated it."""
    installs: int
    """How often it was installed."""
    created_at: str
    """When it was published."""
    updated_at: str
    """When its newest version was published."""


class ItemDetails(Record):
    """An item with everything that it is made of."""

    id: int
    """The item's id."""
    type: Literal["agent", "tool", "fleet_template", "extension"]
    """What it is."""
    name: str
    """What it is called."""
    slug: str
    """Its name in addresses."""
    description: str
    """What it does."""
    author: str
    """Who published it."""
    version: str
    """Its newest version."""
    tier: Literal["free", "starter", "pro", "enterprise"]
    """The tier that a plan must include to install it."""
    tags: list[str]
    """Words to find it by."""
    status: Literal["pending", "published", "rejected", "withdrawn"]
    """`published`; others see nothing of an item with another status."""
    pending_version: str | None
    """A newer version that waits for the operator; null for none."""
    rating: float
    """The mean of its ratings, 0 to 5."""
    ratings_count: int
    """How many have rated it."""
    installs: int
    """How often it was installed."""
    created_at: str
    """When it was published."""
    updated_at: str
    """When its newest version was published."""
    readme: str
    """A longer text, in Markdown."""
    manifest: dict[str, Any]
    """What it is made of."""
    signature: Signature | None
    """It is checked when the item is installed. Null: published before manifests were signed; such an item is not
    installed.
    """


class Join(Record):
    """How to join a room, once, until `expires_at`."""

    token: str
    """The bearer token for `whip_url`, or the access token for `livekit_url`."""
    whip_url: str | None
    """Where a browser posts its SDP offer as `application/sdp` (RFC 9725); null for a room at LiveKit."""
    livekit_url: str | None
    """Where LiveKit clients connect with the token; null for other rooms."""
    join_url: str
    """The page that does all of this in a browser."""
    sip_address: str | None
    """The address that a telephone calls; null where SIP is off."""
    ice_servers: list[IceServer]
    """The ICE servers to use."""
    expires_at: str
    """Until when one may join with it."""


class Key(Record):
    """An API key. The key itself is shown when it is made, and never again."""

    id: int
    """The key's id."""
    prefix: str
    """How the key begins."""
    name: str
    """What the key is for."""
    scopes: list[str]
    """What the key may do."""
    mode: Literal["live", "test"]
    """`live`, or `test` for the sandbox."""
    networks: list[str] | None
    """CIDRs that the key may be used from; null means anywhere."""
    created_at: str
    """When it was made."""
    expires_at: str | None
    """When it stops working; null means never."""
    last_used_at: str | None
    """When it was last used, within five minutes."""
    successor_id: int | None
    """The key that has replaced it since its rotation."""
    monthly_tokens: int | None
    """Tokens that its requests may use in a calendar month; null means any number."""
    monthly_credits: int | None
    """Credits that its requests may use in a calendar month; null means any number."""


class KeyDeleted(Record):
    """The id of what is gone."""

    id: int
    """The key's id."""
    deleted: Literal[True]


class KeySecret(Record):
    """A new key, which is shown this once."""

    id: int
    """The key's id."""
    prefix: str
    """How the key begins."""
    name: str
    """What the key is for."""
    scopes: list[str]
    """What the key may do."""
    mode: Literal["live", "test"]
    """`live`, or `test` for the sandbox."""
    networks: list[str] | None
    """CIDRs that the key may be used from; null means anywhere."""
    created_at: str
    """When it was made."""
    expires_at: str | None
    """When it stops working; null means never."""
    last_used_at: str | None
    """When it was last used, within five minutes."""
    successor_id: int | None
    """The key that has replaced it since its rotation."""
    monthly_tokens: int | None
    """Tokens that its requests may use in a calendar month; null means any number."""
    monthly_credits: int | None
    """Credits that its requests may use in a calendar month; null means any number."""
    key: str
    """The key. Keep it: it is never shown again."""


class MarketplaceInstalled(Record):
    """An item was installed."""

    installation_id: int
    item_id: int
    type: str
    name: str
    version: str
    installed: list[dict[str, Any]]


class Message(Record):
    """One message of a conversation."""

    role: Literal["user", "assistant", "tool"]
    """Who speaks."""
    content: str
    """What is said; of a tool, its result as JSON."""
    attachments: list[str] | None = None
    """Ids of the files that went with it."""
    tool_calls: list[dict[str, Any]] | None = None
    """The tools that the assistant asked for."""
    tool_call_id: str | None = None
    """Which of these calls the tool answers."""
    tool_name: str | None = None
    """The tool that answers."""
    created_at: str
    """When it was said."""


class Metric(Record):
    """How much of a metric is used; a null limit means that there is none."""

    used: int
    """Used so far; of what is held, held now."""
    limit: int | None
    """The plan's limit; null where there is none."""


class Model(Record):
    """A model that chat accepts."""

    name: str
    """What to send as `model`."""
    default: bool
    """Whether it is used when a request names none."""


class Part(Record):
    """What one agent does in a deployment."""

    number: int
    """Its place."""
    kind: Literal["plan", "work", "synthesis", "review"]
    """Planning, work, bringing results together, or checking."""
    agent_id: int
    """Who does it."""
    agent_name: str
    """What that agent is called."""
    agent_role: Literal["leader", "specialist", "generalist", "reviewer"]
    """Its role."""
    is_copy: bool
    """Whether a temporary copy of the agent does it."""
    task: str | None
    """What is to be done; null where that follows from the results of others."""
    run_id: int | None
    """The run that does it, to look its steps up."""
    status: Literal["waiting", "running", "completed", "failed", "cancelled"]
    """Where it stands."""
    reply: str | None
    """What came of it."""
    error: str | None
    """Why it came to nothing."""
    started_at: str | None
    """When it began."""
    ended_at: str | None
    """When it was over."""


class PartEnded(Record):
    """A part of the work is over."""

    number: int
    """The part's place."""
    kind: Literal["plan", "work", "synthesis", "review"]
    """Planning, work, bringing results together, or checking."""
    agent_id: int
    """Whose part it is."""
    agent_name: str
    """What that agent is called."""
    is_copy: bool
    """Whether a temporary copy of the agent does it."""
    type: Literal["part_end"]
    run_id: int | None
    """The run that did it; null where it was never begun."""
    status: Literal["waiting", "running", "completed", "failed", "cancelled"]
    """How it ended."""
    reply: str | None
    """What came of it."""
    error: str | None
    """Why it came to nothing."""
    ended_at: str
    """When it was over."""


class PartStarted(Record):
    """An agent, or a temporary copy of one, begins a part of the work."""

    number: int
    """The part's place."""
    kind: Literal["plan", "work", "synthesis", "review"]
    """Planning, work, bringing results together, or checking."""
    agent_id: int
    """Whose part it is."""
    agent_name: str
    """What that agent is called."""
    is_copy: bool
    """Whether a temporary copy of the agent does it."""
    type: Literal["part_start"]
    agent_role: Literal["leader", "specialist", "generalist", "reviewer"]
    """The agent's role."""
    task: str | None
    """What is to be done; null where that follows from the results of others."""
    run_id: int
    """The run that does it; its events tell more."""
    started_at: str
    """When it began."""


class Participant(Record):
    """Somebody who is or was in a room. The room's agent is no participant."""

    id: int
    """The participant's id."""
    name: str
    """The name in the transcript."""
    kind: Literal["browser", "phone"]
    """In a browser or on a telephone."""
    muted: bool
    """Whether the API muted them."""
    joined_at: str
    """When they came in."""
    left_at: str | None
    """When they left; null while they are there."""
    seconds: int
    """How long they were there; 0 until they leave."""


class ParticipantJoined(Record):
    """Somebody came in."""

    at: str
    """When it happened."""
    participant_id: int
    """The participant's id."""
    name: str
    """The participant's name."""
    type: Literal["joined"]
    kind: Literal["browser", "phone"]
    """How: in a browser or on a telephone."""


class ParticipantLeft(Record):
    """Somebody left, or was sent out."""

    at: str
    """When it happened."""
    participant_id: int
    """The participant's id."""
    name: str
    """The participant's name."""
    type: Literal["left"]
    seconds: int
    """How long they were in the room."""


class ParticipantMuted(Record):
    """The API muted somebody: nobody hears them, and what they say is not written down."""

    at: str
    """When it happened."""
    participant_id: int
    """The participant's id."""
    name: str
    """The participant's name."""
    type: Literal["muted"]


class ParticipantUnmuted(Record):
    """The API unmuted somebody."""

    at: str
    """When it happened."""
    participant_id: int
    """The participant's id."""
    name: str
    """The participant's name."""
    type: Literal["unmuted"]


class Request(Record):
    """A request of your account, and what came of it. Bodies, headers and queries are not logged."""

    id: int
    """The entry's id. Requests have ids in the order in which they end."""
    request_id: str
    """The `X-Request-ID` of the answer."""
    method: str
    """The HTTP method."""
    path: str
    """The path, without the query."""
    route: str | None
    """The path's template, such as `/api/v1/agents/{id}`; null if it has none."""
    status: int
    """The HTTP status of the answer; 0 if the client went away before there was one."""
    duration_ms: float
    """Milliseconds until the whole answer was sent, streams included."""
    credential: str
    """The credential: `key:ID`, `session:ID`, or `oauth:ID` with the id of an OAuth grant."""
    address: str
    """The client's address, an IPv6 address as its /64 network."""
    error_code: str | None
    """The code of the error; null for a success or a repeated answer."""
    error_message: str | None
    """The message of the error, its first 500 characters."""
    created_at: str
    """When the request came."""


class RestartChunk(Record):
    """Forget the text since the last tool: it is said anew, and otherwise."""

    type: Literal["restart"]


class Result(Record):
    """What came of a deployment."""

    reply: str | None
    """The answer; null where no part was completed."""
    failures: list[Failure]
    """Who failed, and why."""


class Room(Record):
    """A voice room."""

    id: int
    """The room's id."""
    name: str
    """What it is called."""
    status: Literal["active", "closed"]
    """`closed` once it was deleted."""
    max_participants: int
    """How many people may be in it at once."""
    participants: int
    """How many people are in it now."""
    voice_engine: Literal["hibari", "kokoro", "piper", "openai"]
    """The engine that speaks."""
    agent_id: int | None
    """The agent that takes part."""
    join_url: str
    """The page in which a browser joins, with a token after `#`."""
    transcript: str
    """What was said so far, a line a turn: `name: …`."""
    media: Literal["local", "livekit"]
    """Where its sound is: at this server, or at LiveKit."""
    conversation_id: str | None
    """The conversation of the room's agent."""
    created_at: str
    """When it was made."""
    ended_at: str | None
    """When it was closed."""


class RoomClosed(Record):
    """The room was closed. Everybody leaves after that."""

    at: str
    """When it happened."""
    type: Literal["closed"]


class RoomSaid(Record):
    """Somebody said something: a line of the transcript."""

    at: str
    """When it happened."""
    type: Literal["said"]
    speaker: str
    """Whose turn it was: a participant's name, or the agent's."""
    text: str
    """What was said."""


class Run(Record):
    """A run."""

    id: int
    """The run's id."""
    agent_id: int | None
    """The agent at work; null for a chat."""
    status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]
    """Where it stands."""
    message: str
    """What was asked for."""
    reply: str | None
    """What came of it; of a run that failed, what it had said so far."""
    tools_used: list[str]
    """Names of the tools that were run."""
    tokens_used: int
    """Tokens of all model calls together."""
    execution_time_ms: int | None
    """How long it took."""
    error: str | None
    """Why it failed or was cancelled."""
    created_at: str
    """When it was asked for."""
    started_at: str | None
    """When work on it began."""
    ended_at: str | None
    """When it was over."""


class RunDetails(Record):
    """A run with every step."""

    id: int
    """The run's id."""
    agent_id: int | None
    """The agent at work; null for a chat."""
    status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]
    """Where it stands."""
    message: str
    """What was asked for."""
    reply: str | None
    """What came of it; of a run that failed, what it had said so far."""
    tools_used: list[str]
    """Names of the tools that were run."""
    tokens_used: int
    """Tokens of all model calls together."""
    execution_time_ms: int | None
    """How long it took."""
    error: str | None
    """Why it failed or was cancelled."""
    created_at: str
    """When it was asked for."""
    started_at: str | None
    """When work on it began."""
    ended_at: str | None
    """When it was over."""
    steps: list[Step]
    """What was done, in order."""


class Schedule(Record):
    """A schedule."""

    id: int
    """The schedule's id."""
    name: str
    """What it is called."""
    cron: str | None
    """The cron expression; null for a single date."""
    at: str | None
    """The single date; null with a cron expression."""
    timezone: str
    """The IANA time zone of the cron expression."""
    agent_id: int | None
    """The agent that it runs."""
    fleet_id: int | None
    """The fleet that it deploys."""
    message: str | None
    """What the agent is to do."""
    task: str | None
    """The fleet's task."""
    overlap: Literal["skip", "queue", "parallel"]
    """What happens at a due time while the run before it goes on."""
    missed: Literal["once", "skip"]
    """What becomes of due times that passed while no server was running."""
    jitter_s: int
    """Seconds by which each due time is put off at most."""
    enabled: bool
    """Whether it fires; false while it is paused."""
    disabled_reason: str | None
    """Why the platform paused it."""
    next_at: str | None
    """The next due time, without jitter; null while there is none."""
    last_run: ScheduleRun | None
    """The due time that was handled last."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was last changed."""


class ScheduleDeleted(Record):
    """The id of what is gone."""

    id: int
    """The schedule's id."""
    deleted: Literal[True]


class ScheduleFailed(Record):
    """A due time of a schedule came to nothing; `enabled` tells whether the next will be tried. An extension of
    the catalogue.
    """

    schedule_id: int
    schedule_run_id: int
    name: str
    due_at: str
    agent_id: int | None
    fleet_id: int | None
    error: str
    enabled: bool


class ScheduleFired(Record):
    """A schedule began a run of its agent, or a deployment of its fleet. An extension of the catalogue."""

    schedule_id: int
    schedule_run_id: int
    name: str
    due_at: str
    agent_id: int | None
    fleet_id: int | None
    run_id: int | None
    deployment_id: int | None


class ScheduleRun(Record):
    """A due time of a schedule, and what came of it."""

    id: int
    """Its id."""
    schedule_id: int
    """The schedule."""
    due_at: str
    """The due time; of one that was asked for, when that was."""
    manual: bool
    """Whether it was asked for with `POST /schedules/{id}/run`."""
    missed_since: str | None
    """The first due time that it stands for, if it was due while no server was running."""
    status: Literal["waiting", "fired", "skipped", "failed"]
    """`waiting` until the run before it ends; then `fired`, `skipped` or `failed`."""
    reason: str | None
    """Why it waited, was skipped or failed."""
    run_id: int | None
    """The agent's run, to look its steps up."""
    deployment_id: int | None
    """The fleet's deployment."""
    outcome: str | None
    """The present status of that run or deployment."""
    created_at: str
    """When it was handled."""
    fired_at: str | None
    """When the run or the deployment was begun."""


class Session(Record):
    """A sign-in. Its token is shown when it is made, and never again."""

    id: int
    """The session's id."""
    address: str
    """The address that signed in; an IPv6 address as its /64 network."""
    user_agent: str
    """What the client said of itself."""
    current: bool
    """Whether it is the session of this request."""
    created_at: str
    """When it signed in."""
    last_used_at: str
    """When it was last used, within five minutes."""
    expires_at: str
    """When it ends unless it is used before."""


class SessionDeleted(Record):
    """The id of what is gone."""

    id: int
    """The session's id."""
    deleted: Literal[True]


class SessionsRevoked(Record):
    """How many sessions have ended."""

    revoked: int
    """Sessions that have ended."""


class Signature(Record):
    """Who vouches for a manifest. What is signed is the JSON object of `slug`, `type`, `version` and `manifest`."""

    algorithm: Literal["ed25519", "sha256"]
    """`ed25519`: a signature by the publisher's key. `sha256`: a checksum, of an item that ships."""
    key_id: str | None
    """The publisher's key: 16 digits of the SHA-256 of the public key."""
    public_key: str | None
    """The public key, 32 bytes in base 64."""
    value: str
    """The signature in base 64, or the checksum in hexadecimal."""


class Source(Record):
    """A source of imported tools."""

    id: int
    """The source's id."""
    kind: Literal["openapi", "mcp"]
    """What was imported."""
    name: str
    """The namespace: the names of its tools begin with it."""
    category: Literal[
        "text",
        "data_formats",
        "data_analysis",
        "math",
        "statistics",
        "graphs",
        "science",
        "finance",
        "datetime",
        "geo",
        "identifiers",
        "documents",
        "media",
        "web",
        "security",
        "code",
        "workspace",
    ]
    """Where its tools are in the catalogue."""
    base_url: str
    """Where the API or the server is; for a program, `stdio:` and its name."""
    document_url: str | None
    """Where its document was read; null if it was sent, or is none."""
    trust_hints: bool
    """Whether the hints of an MCP server count that loosen how its tools are treated."""
    connection: str | None
    """The connection that it uses; null for none."""
    tools: int
    """Tools that came from it."""
    size: int
    """Bytes of your storage that its tools take."""
    status: Literal["pending", "ready"]
    """`pending` until the MCP server has been asked for its tools: refresh the source."""
    created_at: str
    """When it was imported."""


class SourceDeleted(Record):
    """The id of what is gone."""

    id: int
    """The source's id."""
    deleted: Literal[True]


class SourceRefreshed(Record):
    """A source that was read again, and what has become of its tools."""

    id: int
    """The source's id."""
    kind: Literal["openapi", "mcp"]
    """What was imported."""
    name: str
    """The namespace: the names of its tools begin with it."""
    category: Literal[
        "text",
        "data_formats",
        "data_analysis",
        "math",
        "statistics",
        "graphs",
        "science",
        "finance",
        "datetime",
        "geo",
        "identifiers",
        "documents",
        "media",
        "web",
        "security",
        "code",
        "workspace",
    ]
    """Where its tools are in the catalogue."""
    base_url: str
    """Where the API or the server is; for a program, `stdio:` and its name."""
    document_url: str | None
    """Where its document was read; null if it was sent, or is none."""
    trust_hints: bool
    """Whether the hints of an MCP server count that loosen how its tools are treated."""
    connection: str | None
    """The connection that it uses; null for none."""
    tools: int
    """Tools that came from it."""
    size: int
    """Bytes of your storage that its tools take."""
    status: Literal["pending", "ready"]
    """`pending` until the MCP server has been asked for its tools: refresh the source."""
    created_at: str
    """When it was imported."""
    added: list[str]
    """Names of tools that are new."""
    changed: list[str]
    """Names of tools that are described otherwise than before."""
    removed: list[str]
    """Names of tools that are no longer there."""


class Step(Record):
    """One step of a run: the model spoke, or a tool was run."""

    seq: int
    """Its place in the run."""
    type: Literal["model", "tool"]
    """Whether the model spoke or a tool was run."""
    content: str
    """What the model said, or the tool's result as JSON."""
    tool: str | None
    """The tool's name."""
    arguments: Any
    """The tool's arguments."""
    status: Literal["waiting", "started", "done", "failed"]
    """What became of it."""
    tokens: int
    """Tokens of the model call."""
    started_at: str
    """When it began."""
    ended_at: str | None
    """When it was over."""
    duration_ms: int | None
    """How long it took."""


class TextChunk(Record):
    """A fragment of the reply."""

    type: Literal["text"]
    content: str


class Timing(Record):
    """Times of a turn, in milliseconds; a turn that has no such moment leaves it out."""

    transcription_ms: int | None = None
    """Of a caller's turn: how long writing it down took."""
    first_text_ms: int | None = None
    """From the end of the question to the model's first words."""
    first_audio_ms: int | None = None
    """From the end of the question to the answer's first sound."""
    barge_in_ms: int | None = None
    """From the start of an interruption to the agent's silence."""


class Tool(Record):
    """A tool. `input_schema` is the JSON Schema of its arguments."""

    name: str
    """Names it in paths, skills and tools."""
    description: str
    """What it does and when to use it."""
    category: Literal[
        "text",
        "data_formats",
        "data_analysis",
        "math",
        "statistics",
        "graphs",
        "science",
        "finance",
        "datetime",
        "geo",
        "identifiers",
        "documents",
        "media",
        "web",
        "security",
        "code",
        "workspace",
    ]
    """Where it is in the catalogue."""
    tier: Literal["free", "starter", "pro", "enterprise"]
    """The lowest tier whose plans include it."""
    input_schema: dict[str, Any]
    """The JSON Schema of its arguments."""
    output_schema: dict[str, Any]
    """The JSON Schema of its result."""
    effects: Effects
    """What a call may do."""
    tags: list[str]
    """Words by which it is found."""
    needs: list[str]
    """Programs that the server must have for it; mostly none."""
    superseded_by: str | None
    """The tool to use in its place; lists and searches leave this one out."""
    score: float | None
    """How well it fits the search, from 0 on, the same scale in all searches; null in lists."""


class ToolEndChunk(Record):
    """A tool has ended."""

    type: Literal["tool_end"]
    tool: str


class ToolExecuted(Record):
    """A tool was executed, by a caller or by an agent's run."""

    tool: str
    status: Literal["success", "error"]
    execution_time_ms: int
    credits_used: int
    run_id: int | None
    agent_id: int | None


class ToolResult(Record):
    """What a tool answered. The fields of `result` are the tool's own."""

    tool: str
    """The tool's name."""
    result: dict[str, Any]
    """What it found; the fields are the tool's own."""
    execution_time_ms: int
    """How long it took."""
    credits_used: int
    """What the call cost."""


class ToolStartChunk(Record):
    """A tool begins."""

    type: Literal["tool_start"]
    tool: str


class Turn(Record):
    """What one side said."""

    number: int
    """The turn's number in its call, from 1."""
    speaker: Literal["agent", "caller"]
    """Who spoke."""
    text: str
    """What was said; of an interrupted turn, what was said until then."""
    interrupted: bool
    """Whether the caller interrupted it."""
    run_id: int | None
    """The run that made the answer, to look its steps up."""
    timing: Timing
    """How long its parts took."""
    created_at: str
    """When it was written down."""


class Usage(Record):
    """The running billing period."""

    period: str
    """The calendar month, in UTC, as YYYY-MM."""
    plan: Literal["free", "starter", "professional", "enterprise"]
    """The account's plan."""
    api_calls: Metric
    """Answers of the API, but for 429 and 5xx."""
    tools_executed: Metric
    """Executions of tools, agents' included."""
    agents_active: Metric
    """Agents that exist."""
    fleets_active: Metric
    """Fleets that exist."""
    voice_minutes: Metric
    """Minutes of calls, rounded up."""
    storage_mb: Metric
    """MiB of files, of the workspace and of imported tools, rounded up."""


class UsageThreshold(Record):
    """A metric reached 80 % or 100 % of its limit; told once a metric, threshold and period."""

    metric: str
    threshold: int
    used: int
    limit: int
    period: str


class VoiceCallEnded(Record):
    """A voice call ended, answered or not."""

    call_id: int
    direction: Literal["outbound", "inbound"]
    to: str
    agent_id: int | None
    voice_engine: str
    status: str
    duration_seconds: int
    error: str | None


class VoiceCallStarted(Record):
    """A voice call starts: the platform dials, or a call comes in."""

    call_id: int
    direction: Literal["outbound", "inbound"]
    to: str
    agent_id: int | None
    voice_engine: str
    status: Literal["queued"]


class VoiceRoomCreated(Record):
    """A voice room is created."""

    room_id: int
    name: str
    max_participants: int
    voice_engine: str
    agent_id: int | None
    status: str | None = None


class WaitingChunk(Record):
    """The run waits for a person to approve a tool call: see GET /api/v1/approvals."""

    type: Literal["waiting"]
    run_id: int


class Webhook(Record):
    """An endpoint. Its secret is shown when it is made, and never again."""

    id: int
    """The endpoint's id."""
    url: str
    """Where events are sent."""
    events: list[str] | None
    """Names of the events that are sent; null means all."""
    description: str
    """What the endpoint is for."""
    enabled: bool
    """Whether events are sent to it."""
    disabled_reason: str | None
    """Why the platform has disabled it."""
    failing_since: str | None
    """Since when every attempt has failed."""
    rotation_ends_at: str | None
    """Until when the old secret signs `X-Webhook-Signature`, while a rotation is under way."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was last changed."""


class WebhookDeleted(Record):
    """The id of what is gone."""

    id: int
    """The endpoint's id."""
    deleted: Literal[True]


class WebhookSecret(Record):
    """An endpoint with its new secret, which is shown this once."""

    id: int
    """The endpoint's id."""
    url: str
    """Where events are sent."""
    events: list[str] | None
    """Names of the events that are sent; null means all."""
    description: str
    """What the endpoint is for."""
    enabled: bool
    """Whether events are sent to it."""
    disabled_reason: str | None
    """Why the platform has disabled it."""
    failing_since: str | None
    """Since when every attempt has failed."""
    rotation_ends_at: str | None
    """Until when the old secret signs `X-Webhook-Signature`, while a rotation is under way."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was last changed."""
    secret: str
    """What deliveries are signed with. Keep it: it is never shown again."""


class WebhookTest(Record):
    """An endpoint was asked to prove itself: sent to that endpoint alone, whatever events it listens to."""

    webhook_id: int
    message: str | None = None


ChatChunk = TextChunk | ToolStartChunk | ToolEndChunk | ChatDoneChunk

ExecuteAgentChunk = TextChunk | ToolStartChunk | ToolEndChunk | WaitingChunk | DoneChunk

StreamDeploymentChunk = DeploymentStarted | PartStarted | PartEnded | DeploymentEnded

StreamRoomChunk = RoomSaid | ParticipantJoined | ParticipantLeft | ParticipantMuted | ParticipantUnmuted | RoomClosed

StreamRunChunk = TextChunk | ToolStartChunk | ToolEndChunk | RestartChunk | WaitingChunk | DoneChunk


class AccountUpdate(TypedDict, total=False):
    """The fields to change."""

    name: str | None
    """What the user is called."""


class AgentCreate(TypedDict, total=False):
    """A new agent."""

    agent_name: Required[str]
    """What the agent is called."""
    agent_role: Required[Literal["leader", "specialist", "generalist", "reviewer"]]
    """How it works: plans, works on its part, takes any part, or checks."""
    task: str | None
    """What it works on when it is deployed."""
    skills: list[str] | None
    """Names of the tools that it may use."""
    fleet_id: int | None
    """The fleet that it is attached to."""
    voice_enabled: bool | None
    """Whether calls may come in to it."""
    voice_engine: Literal["hibari", "kokoro", "piper", "openai"] | None
    """The engine that speaks for it."""
    approval: Literal["none", "required"] | None
    """`required`: a person must approve each call that deletes or overwrites what is there, or goes out to the
    world.
    """
    monthly_tokens: int | None
    """Tokens that its runs may use in a calendar month; null means any number."""
    monthly_credits: int | None
    """Credits that its runs may use in a calendar month; null means any number."""


class AgentUpdate(TypedDict, total=False):
    """The fields to change; `null` clears the task and the budgets, and detaches from the fleet."""

    agent_name: str
    """What the agent is called."""
    agent_role: Literal["leader", "specialist", "generalist", "reviewer"]
    """How it works: plans, works on its part, takes any part, or checks."""
    task: str | None
    """What it works on when it is deployed."""
    skills: list[str]
    """Names of the tools that it may use."""
    fleet_id: int | None
    """The fleet that it is attached to."""
    voice_enabled: bool
    """Whether calls may come in to it."""
    voice_engine: Literal["hibari", "kokoro", "piper", "openai"]
    """The engine that speaks for it."""
    approval: Literal["none", "required"]
    """`required`: a person must approve each call that deletes or overwrites what is there, or goes out to the
    world.
    """
    monthly_tokens: int | None
    """Tokens that its runs may use in a calendar month; null means any number."""
    monthly_credits: int | None
    """Credits that its runs may use in a calendar month; null means any number."""


class AppCreate(TypedDict, total=False):
    """A new app."""

    name: Required[str]
    """What users see when they are asked for consent."""
    redirect_uris: list[str]
    """Where users may be sent back to, compared character by character: https, or http on a loopback host, where
    any port will do. An app that only uses client credentials needs none.
    """
    scopes: Required[list[str]]
    """The most that the app may ask for."""
    public: bool
    """A public client, such as a program on users' machines, has no secret."""


class AppUpdate(TypedDict, total=False):
    """The fields to change."""

    name: str
    """What users see when they are asked for consent."""
    redirect_uris: list[str]
    """Where users may be sent back to."""
    scopes: list[str]
    """The most that the app may ask for."""


class ApprovalDecision(TypedDict, total=False):
    """What a person decides."""

    decision: Required[Literal["approve", "deny"]]
    """Whether the tool may be called."""
    arguments: dict[str, Any] | None
    """Arguments in place of those that the model chose; they must fit the tool."""
    reason: str | None
    """Told to the model when the call is denied."""


class CallCreate(TypedDict, total=False):
    """A call to make."""

    to: Required[str]
    """A telephone number in E.164 form, such as +441632960123, or a SIP URI."""
    agent_id: int | None
    """The agent that speaks; without one, the built-in assistant."""
    voice_engine: Literal["hibari", "kokoro", "piper", "openai"] | None
    """The engine that speaks, in place of the agent's."""
    greeting: str | None
    """What the agent says first; "" lets the other side begin."""
    record: bool | None
    """Keep a recording as a file of yours."""
    max_seconds: int | None
    """The longest that the call may last from its answer on."""
    machine_detection: Literal["enable", "hangup", "detect_message_end"] | None
    """Find out whether a person or an answering machine answers, before the agent greets. `enable` tells it in
    `answered_by`. `hangup` hangs up on machines. `detect_message_end` waits for a machine's beep, says the
    greeting as a message, and hangs up.
    """


class CallTransfer(TypedDict, total=False):
    """Where a call goes on."""

    to: Required[str]
    """A telephone number in E.164 form, such as +441632960123, or a SIP URI."""


class ChatRequest(TypedDict, total=False):
    """A message to a model."""

    message: Required[str]
    """What to say."""
    conversation_id: str | None
    """Continues that conversation; without it a new one begins."""
    model: str | None
    """One of GET /models."""
    temperature: float | None
    """0 is the most predictable."""
    tools: list[str] | None
    """Tools that may be used; an empty list means none, absence the catalogue's best matches."""
    attachments: list[str] | None
    """Ids of your files that go with the message."""


class ConnectionCreate(TypedDict, total=False):
    """A new connection."""

    name: Required[str]
    """Names it in arguments of tools and in sources: lower-case letters, digits and -."""
    kind: Required[Literal["http", "mail", "telegram", "chat_webhook", "webhook", "ntfy"]]
    """What it opens."""
    settings: dict[str, Any]
    """What may be shown of it, as the kind has it: see GET /connections/kinds."""
    secret: Required[dict[str, Any]]
    """What opens it, as the kind has it. It is kept encrypted, and never shown."""


class ConnectionUpdate(TypedDict, total=False):
    """What to put in the place of the settings, of the secret, or of both."""

    settings: dict[str, Any]
    """What may be shown of it, as the kind has it: see GET /connections/kinds."""
    secret: dict[str, Any]
    """What opens it, as the kind has it. It is kept encrypted, and never shown."""


class DeployRequest(TypedDict, total=False):
    """How the agent is to be deployed. Other fields are let pass, as ever on this path."""

    priority: Literal["low", "normal", "high"] | None
    """The run's place among your own runs of the background."""


class ExecuteRequest(TypedDict, total=False):
    """What the agent is to do now."""

    message: Required[str]
    """What to do."""
    tools: list[str] | None
    """Tools for this run in place of the agent's skills; an empty list means none."""
    context: dict[str, Any] | None
    """Extra context as JSON, at most 64 KiB."""
    budget: RunBudget | None
    """Where this run ends at the latest."""
    attachments: list[str] | None
    """Ids of your files that go with the message."""
    priority: Literal["low", "normal", "high"] | None
    """Its place among your own runs of the background."""


class FleetCreate(TypedDict, total=False):
    """A new fleet."""

    name: Required[str]
    """What the fleet is called."""
    description: str | None
    """What it is for."""
    max_agents: int | None
    """How many agents may be attached to it."""
    auto_scale: bool | None
    """Whether temporary copies of its agents help while parts wait."""


class FleetDeploy(TypedDict, total=False):
    """What the fleet is to do."""

    task: str | None
    """The task; without one, each agent works on its own."""
    strategy: Literal["parallel", "sequential", "round-robin"] | None
    """How the agents share the work."""
    timeout: int | None
    """Seconds after which the deployment is ended, even if parts are still running."""
    priority: Literal["low", "normal", "high"] | None
    """Its runs' place among your own of the background."""


class FleetUpdate(TypedDict, total=False):
    """The fields to change."""

    name: str
    """What the fleet is called."""
    description: str
    """What it is for."""
    max_agents: int
    """How many agents may be attached to it."""
    auto_scale: bool
    """Whether temporary copies of its agents help while parts wait."""


class InstallRequest(TypedDict, total=False):
    """How to install it."""

    connection: str | None
    """For a tool whose API wants a credential: a connection of yours of the kind `http`."""
    webhook_url: str | None
    """For an extension with webhooks: where its events go. The endpoints are off until you enable them."""
    name: str | None
    """What the agent or the fleet is to be called here; not for tools and extensions."""


class ItemChange(TypedDict, total=False):
    """A new version of an item."""

    description: str | None
    """What it does."""
    version: Required[str]
    """Higher than the one before."""
    tags: list[str] | None
    """Words to find it by."""
    readme: str | None
    """A longer text, in Markdown."""
    manifest: dict[str, Any] | None
    """What it is made of."""


class ItemPublish(TypedDict, total=False):
    """An item to publish. It is seen by its author alone until the operator has looked at it."""

    type: Required[Literal["agent", "tool", "fleet_template", "extension"]]
    """What it is."""
    name: Required[str]
    """What it is called."""
    slug: Required[str]
    """Its name in addresses."""
    description: Required[str]
    """What it does."""
    version: str
    """As in 1.2.0."""
    tags: list[str]
    """Words to find it by."""
    readme: str
    """A longer text, in Markdown."""
    manifest: Required[dict[str, Any]]
    """What it is made of."""


class KeyCreate(TypedDict, total=False):
    """A new key."""

    name: str | None
    """What the key is for."""
    scopes: list[str] | None
    """What the key may do; `*` is everything."""
    mode: Literal["live", "test"] | None
    """A test key sees the sandbox. By default the mode of the caller."""
    networks: list[str] | None
    """CIDRs that the key may be used from; null means anywhere."""
    expires_in_days: int | None
    """Days until it expires; null means never."""
    monthly_tokens: int | None
    """Tokens that its requests may use in a calendar month; null means any number."""
    monthly_credits: int | None
    """Credits that its requests may use in a calendar month; null means any number."""


class KeyPresses(TypedDict, total=False):
    """Keys of a telephone."""

    digits: Required[str]
    """Up to 64 keys: digits, `*`, `#`, and A to D."""


class KeyRotate(TypedDict, total=False):
    """How to replace a key."""

    overlap_days: int | None
    """Days for which the old key goes on working."""


class KeyUpdate(TypedDict, total=False):
    """The fields to change; `null` clears a budget or the networks. To change the scopes, make another key."""

    name: str
    """What the key is for."""
    monthly_tokens: int | None
    """Tokens that its requests may use in a calendar month; null means any number."""
    monthly_credits: int | None
    """Credits that its requests may use in a calendar month; null means any number."""
    networks: list[str] | None
    """CIDRs that the key may be used from; null means anywhere."""


class Moderation(TypedDict, total=False):
    """The operator's decision on an item, or its author's to withdraw it."""

    status: Required[Literal["published", "rejected", "withdrawn"]]
    """What becomes of it."""


class Rating(TypedDict, total=False):
    """Your rating of an item; it replaces an earlier one of yours."""

    stars: Required[int]
    """From 1 to 5."""


class RoomCreate(TypedDict, total=False):
    """A new room."""

    name: Required[str]
    """What the room is called."""
    max_participants: int | None
    """How many people may be in it at once; the agent is not counted."""
    voice_engine: Literal["hibari", "kokoro", "piper", "openai"] | None
    """The engine that speaks, in place of the agent's."""
    agent_id: int | None
    """The agent that takes part; without one, people are among themselves."""


class RoomJoin(TypedDict, total=False):
    """Who wants to join."""

    name: str | None
    """The name in the transcript."""


class RunBudget(TypedDict, total=False):
    """Bounds of one run. It fails at the first that it reaches."""

    steps: int | None
    """Model calls."""
    tokens: int | None
    """Tokens of all model calls together."""
    seconds: float | None
    """How long it is worked on."""
    credits: int | None
    """Credits of its tools together."""


class ScheduleCreate(TypedDict, total=False):
    """A new schedule: `cron` or `at`, and an agent with a message or a fleet."""

    name: Required[str]
    """What the schedule is called."""
    cron: str | None
    """Five fields: minute, hour, day-of-month, month, day-of-week."""
    at: str | None
    """A single date in ISO 8601; without an offset, in `timezone`."""
    timezone: str | None
    """The IANA time zone of the cron expression."""
    agent_id: int | None
    """The agent that it runs."""
    fleet_id: int | None
    """The fleet that it deploys; needs the scope fleets:write."""
    message: str | None
    """What the agent is to do."""
    task: str | None
    """The fleet's task; without one, each agent works on its own."""
    overlap: Literal["skip", "queue", "parallel"] | None
    """What happens at a due time while the run before it goes on: see the guide."""
    missed: Literal["once", "skip"] | None
    """Whether due times that passed while no server was running are made up for, as one run."""
    jitter_s: int | None
    """Seconds by which each due time is put off at most, each by its own share."""
    enabled: bool | None
    """Whether it fires; false while it is paused."""


class ScheduleUpdate(TypedDict, total=False):
    """The fields to change; `null` clears cron, at, agent_id, fleet_id, message and task."""

    name: str
    """What the schedule is called."""
    cron: str | None
    """Five fields: minute, hour, day-of-month, month, day-of-week."""
    at: str | None
    """A single date in ISO 8601; without an offset, in `timezone`."""
    timezone: str
    """The IANA time zone of the cron expression."""
    agent_id: int | None
    """The agent that it runs."""
    fleet_id: int | None
    """The fleet that it deploys; needs the scope fleets:write."""
    message: str | None
    """What the agent is to do."""
    task: str | None
    """The fleet's task; without one, each agent works on its own."""
    overlap: Literal["skip", "queue", "parallel"]
    """What happens at a due time while the run before it goes on: see the guide."""
    missed: Literal["once", "skip"]
    """Whether due times that passed while no server was running are made up for, as one run."""
    jitter_s: int
    """Seconds by which each due time is put off at most, each by its own share."""
    enabled: bool
    """Whether it fires; false while it is paused."""


class SourceChange(TypedDict, total=False):
    """What a source uses from now on."""

    connection: Required[str | None]
    """The name of a connection of yours of the kind `http`, in place of the credential or connection that it has
    used; null for neither.
    """


class SourceCreate(TypedDict, total=False):
    """What to import: an API by its description, which is at a `url` or is the `document` itself; or an MCP
    server.
    """

    kind: Required[Literal["openapi", "mcp"]]
    """`openapi`: OpenAPI 3.0 or 3.1. `mcp`: an MCP server."""
    name: Required[str]
    """The namespace: the names of the tools begin with it."""
    url: str | None
    """Where the document is, or the MCP server (Streamable HTTP)."""
    document: dict[str, Any] | str | None
    """The document as an object, or as JSON or YAML."""
    program: str | None
    """Instead of a url: the name of an MCP server that the operator lets start as a program."""
    base_url: str | None
    """Where the API is; by default the document's first server."""
    category: Literal[
        "text",
        "data_formats",
        "data_analysis",
        "math",
        "statistics",
        "graphs",
        "science",
        "finance",
        "datetime",
        "geo",
        "identifiers",
        "documents",
        "media",
        "web",
        "security",
        "code",
        "workspace",
    ]
    """Where the tools are in the catalogue."""
    credential: SourceCredential | None
    """What the API or the server knows you by; a program takes one of the type `bearer`."""
    connection: str | None
    """Instead of a credential: the name of a connection of yours of the kind `http`."""
    trust_hints: bool
    """Whether an MCP server's hints, such as `readOnlyHint`, may loosen how its tools are treated. By default each
    of its tools counts as one that changes and destroys things.
    """


class SourceCredential(TypedDict, total=False):
    """What the API or the server knows you by. It is kept encrypted, and never shown."""

    type: Required[Literal["bearer", "header", "query", "basic"]]
    """Where it goes: a bearer token, a header, a query parameter, or a user."""
    name: str
    """The name of the header or of the query parameter, or the user; not for bearer."""
    value: Required[str]
    """The token, the header's or the parameter's value, or the password."""


class SourceRefresh(TypedDict, total=False):
    """What to read again: without either, what is where it was read before. An MCP server takes neither."""

    url: str | None
    """Where the document is now; by default where it was."""
    document: dict[str, Any] | str | None
    """The document as an object, or as JSON or YAML."""
    trust_hints: bool | None
    """Whether an MCP server's hints count from now on; by default as before."""


class ToolRun(TypedDict, total=False):
    """The arguments of a call."""

    args: Required[dict[str, Any]]
    """Must fit the tool's input_schema."""


class WebhookCreate(TypedDict, total=False):
    """A new endpoint."""

    url: Required[str]
    """Where events are sent: http or https."""
    events: list[str] | None
    """Names of the events to send; null means all."""
    description: str | None
    """What the endpoint is for."""


class WebhookUpdate(TypedDict, total=False):
    """The fields to change; `null` for `events` means all of them."""

    url: str
    """Where events are sent: http or https."""
    events: list[str] | None
    """Names of the events to send; null means all."""
    description: str | None
    """What the endpoint is for."""
    enabled: bool
    """Whether events are sent to it."""


class GetRequestParams(TypedDict, total=False):
    """The query of GET /requests/{request_id}."""

    mode: Literal["live", "test"]
    """`live` or `test`: requests by live credentials or by test keys. Your credential's own by default."""


class ListApprovalsParams(TypedDict, total=False):
    """The query of GET /approvals."""

    page: int
    """Which page, from 1."""
    per_page: int
    """Records on a page."""
    status: Literal["pending", "approved", "denied", "cancelled"]
    """Only those in this state."""


class ListAuditEntriesParams(TypedDict, total=False):
    """The query of GET /audit."""

    page: int
    """Which page, from 1."""
    per_page: int
    """Records on a page."""
    action: Literal[
        "user.created",
        "user.plan_changed",
        "user.suspended",
        "user.restored",
        "user.revoked",
        "user.promoted",
        "user.deleted",
        "account.updated",
        "password.changed",
        "totp.enabled",
        "totp.disabled",
        "totp.recovery_codes_renewed",
        "sign_in.succeeded",
        "sign_in.failed",
        "sign_in.link_created",
        "session.signed_out",
        "session.revoked",
        "session.others_revoked",
        "key.created",
        "key.updated",
        "key.rotated",
        "key.revoked",
        "webhook.created",
        "webhook.updated",
        "webhook.deleted",
        "webhook.secret_rotated",
        "webhook.secret_switched",
        "source.created",
        "source.updated",
        "source.refreshed",
        "source.deleted",
        "connection.created",
        "connection.updated",
        "connection.deleted",
        "schedule.created",
        "schedule.updated",
        "schedule.deleted",
        "app.created",
        "app.updated",
        "app.secret_rotated",
        "app.deleted",
        "grant.created",
        "grant.revoked",
        "item.published",
        "item.changed",
        "item.moderated",
        "item.installed",
        "item.uninstalled",
        "account.exported",
    ]
    """Only this action."""
    credential: str
    """Only this credential, such as `key:17`."""
    since: str
    """From this instant on, in ISO 8601; UTC without an offset."""
    until: str
    """Before this instant, in ISO 8601; UTC without an offset."""
    format: Literal["json", "csv"]
    """`csv`, as the header `Accept: text/csv` says too, gives every entry in place of a page."""


class ListItemsParams(TypedDict, total=False):
    """The query of GET /marketplace."""

    page: int
    """Which page, from 1."""
    per_page: int
    """Records on a page."""
    search: str
    """Words in the name, the tags, the description or the readme."""
    type: Literal["agent", "tool", "fleet_template", "extension"]
    """Only items of this type."""
    sort: Literal["popular", "newest", "rating", "relevance"]
    """By installs, by age, by rating, or by relevance to `search`: words in the name count most, then tags,
    description and readme. By default `relevance` with a search, else `popular`.
    """


class ListRequestsParams(TypedDict, total=False):
    """The query of GET /requests."""

    mode: Literal["live", "test"]
    """`live` or `test`: requests by live credentials or by test keys. Your credential's own by default."""
    page: int
    """Which page, from 1."""
    per_page: int
    """Records on a page."""
    status: str
    """Only this status, such as `404`, or this class of statuses, such as `4xx`."""
    method: str
    """Only this method, such as `POST`."""
    path: str
    """Only this path, such as `/api/v1/agents/7`, or this template, such as `/api/v1/agents/{id}`."""
    credential: str
    """Only this credential, such as `key:17`."""
    request_id: str
    """Only requests with this `X-Request-ID`."""
    since: str
    """From this instant on, in ISO 8601; UTC without an offset."""
    until: str
    """Before this instant, in ISO 8601; UTC without an offset."""
    before: int
    """Only requests before the one with this `id`. To read on while requests arrive, send the `id` of the last one
    that you have.
    """


class ListToolsParams(TypedDict, total=False):
    """The query of GET /tools."""

    page: int
    """Which page, from 1."""
    per_page: int
    """Records on a page."""
    search: str
    """Words or a plain question."""
    q: str
    """The same as search."""
    category: Literal[
        "text",
        "data_formats",
        "data_analysis",
        "math",
        "statistics",
        "graphs",
        "science",
        "finance",
        "datetime",
        "geo",
        "identifiers",
        "documents",
        "media",
        "web",
        "security",
        "code",
        "workspace",
    ]
    """Only this category."""
    tier: Literal["free", "starter", "pro", "enterprise"]
    """Only this tier."""


class ListUsageParams(TypedDict, total=False):
    """The query of GET /usage/history."""

    page: int
    """Which page, from 1."""
    per_page: int
    """Records on a page."""
    start_date: str
    """The first day, as YYYY-MM-DD."""
    end_date: str
    """The last day, as YYYY-MM-DD."""
    resource_type: Literal["tools", "agents", "chat", "voice"]
    """Only this kind."""


class PageParams(TypedDict, total=False):
    """Which pages."""

    page: int
    """Which page, from 1."""
    per_page: int
    """Records on a page."""


EVENTS: dict[str, type[Record]] = {
    "agent.completed": AgentCompleted,
    "agent.created": AgentCreated,
    "agent.deployed": AgentDeployed,
    "agent.error": AgentError,
    "approval.requested": ApprovalRequested,
    "fleet.created": FleetCreated,
    "fleet.deployed": FleetDeployed,
    "marketplace.installed": MarketplaceInstalled,
    "schedule.failed": ScheduleFailed,
    "schedule.fired": ScheduleFired,
    "tool.executed": ToolExecuted,
    "usage.threshold": UsageThreshold,
    "voice.call.ended": VoiceCallEnded,
    "voice.call.started": VoiceCallStarted,
    "voice.room.created": VoiceRoomCreated,
    "webhook.test": WebhookTest,
}
"""The record of each webhook event's data."""

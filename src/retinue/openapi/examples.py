"""Examples: what a request to each operation may look like, and what the records in the answers look like."""

from typing import Any

Json = dict[str, Any]

_MOMENT = "2026-11-21T08:00:00.000000Z"
_CONVERSATION = "conv_01k9z4m2n8q6r5t3v7w1x0y2za"
_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_QUESTION = "How many usable hosts has 172.16.8.0/21?"
_ANSWER = "172.16.8.0/21 has 2046 usable hosts."
_TOOL = "network_calculate_subnet"
_FIGURES: Json = {"tools_used": [_TOOL], "tokens_used": 412, "execution_time_ms": 1830}

BODIES: dict[str, Json] = {
    "create_agent": {
        "agent_name": "Netwatch",
        "agent_role": "specialist",
        "task": "Work out how many usable hosts 172.16.8.0/21 has.",
        "skills": [_TOOL],
    },
    "update_agent": {"agent_role": "reviewer"},
    "execute_agent": {"message": _QUESTION},
    "create_fleet": {"name": "Night watch", "description": "Looks after the networks.", "max_agents": 8},
    "update_fleet": {"auto_scale": True},
    "create_schedule": {
        "name": "Every weekday morning",
        "cron": "0 9 * * 1-5",
        "timezone": "Europe/Berlin",
        "agent_id": 1,
        "message": _QUESTION,
    },
    "update_schedule": {"cron": "30 8 * * 1-5"},
    "deploy_agent": {"priority": "normal"},
    "deploy_fleet": {"task": "Find the free subnets of 172.16.8.0/21.", "strategy": "parallel", "timeout": 600},
    "chat": {"message": "Name three uses of a /30 network.", "tools": []},
    "execute_tool": {"args": {"cidr": "172.16.8.0/21"}},
    "import_tools": {
        "kind": "openapi",
        "name": "pets",
        "document": {
            "openapi": "3.1.0",
            "info": {"title": "Pets", "version": "1"},
            "servers": [{"url": "https://example.com/v1"}],
            "paths": {"/pets": {"get": {"operationId": "listPets", "summary": "List the pets."}}},
        },
        "credential": {"type": "bearer", "value": "a token of that API"},
    },
    "refresh_source": {
        "document": {
            "openapi": "3.1.0",
            "info": {"title": "Pets", "version": "2"},
            "paths": {
                "/pets": {"get": {"operationId": "listPets", "summary": "List the pets."}},
                "/owners": {"get": {"operationId": "listOwners", "summary": "List those who have pets."}},
            },
        },
    },
    "decide_approval": {"decision": "approve"},
    "create_connection": {
        "name": "work-api",
        "kind": "http",
        "settings": {"base_url": "https://example.com/v1"},
        "secret": {"value": "a token of that API"},
    },
    "update_connection": {"secret": {"value": "a newer token of that API"}},
    "create_webhook": {"url": "https://example.com/hook", "events": ["agent.completed", "agent.error"]},
    "update_webhook": {"events": None},
    "create_key": {"name": "dashboard", "scopes": ["agents:read", "usage:read"], "networks": ["203.0.113.0/24"]},
    "rotate_key": {"overlap_days": 2},
    "create_app": {
        "name": "Dashboard",
        "redirect_uris": ["https://example.com/callback"],
        "scopes": ["agents:read", "usage:read"],
    },
    "update_app": {"name": "Team dashboard"},
    "update_account": {"name": "Ada"},
    "change_password": {"current_password": "correct horse battery staple", "new_password": "wrong donkey capacitor"},
    "start_totp": {"password": "correct horse battery staple"},
    "confirm_totp": {"code": "123456"},
    "renew_recovery_codes": {"password": "correct horse battery staple", "code": "123456"},
    "disable_totp": {"password": "correct horse battery staple", "code": "123456"},
    "sign_in": {"email": "ada@example.com", "password": "correct horse battery staple"},
    "use_link": {"token": "link_" + "A" * 43, "password": "correct horse battery staple"},
    "sign_up": {"email": "ada@example.com", "password": "correct horse battery staple"},
    "request_reset": {"email": "ada@example.com"},
}
"""A body for each operation that takes one, by the operation's name."""

QUERIES: dict[str, Json] = {
    "list_tools": {"search": "hosts of a subnet", "per_page": 5},
    "list_usage": {"resource_type": "tools"},
}
"""Values of query parameters, by the operation's name."""

_RUN: Json = {
    "id": 12,
    "agent_id": 1,
    "status": "completed",
    "message": _QUESTION,
    "reply": _ANSWER,
    **_FIGURES,
    "error": None,
    "created_at": _MOMENT,
    "started_at": _MOMENT,
    "ended_at": "2026-11-21T08:00:01.830000Z",
}
_STEP: Json = {
    "seq": 2,
    "type": "tool",
    "content": '{"network":"172.16.8.0/21","usable_hosts":2046}',
    "tool": _TOOL,
    "arguments": {"cidr": "172.16.8.0/21"},
    "status": "done",
    "tokens": 0,
    "started_at": _MOMENT,
    "ended_at": "2026-11-21T08:00:00.004000Z",
    "duration_ms": 4,
}
_SOURCE: Json = {
    "id": 2,
    "kind": "openapi",
    "name": "pets",
    "category": "web",
    "base_url": "https://example.com/v1",
    "document_url": None,
    "trust_hints": False,
    "connection": None,
    "tools": 1,
    "size": 694,
    "created_at": _MOMENT,
}
_CONNECTION: Json = {
    "id": 5,
    "name": "work-api",
    "kind": "http",
    "settings": {"base_url": "https://example.com/v1", "type": "bearer", "name": ""},
    "created_at": _MOMENT,
    "updated_at": _MOMENT,
    "last_used_at": None,
    "last_test": {"ok": True, "message": "The server answered 200 OK.", "tested_at": _MOMENT},
}
_WEBHOOK: Json = {
    "id": 4,
    **BODIES["create_webhook"],
    "description": "",
    "enabled": True,
    "disabled_reason": None,
    "failing_since": None,
    "rotation_ends_at": None,
    "created_at": _MOMENT,
    "updated_at": _MOMENT,
}
_DELIVERY: Json = {
    "id": "dlv_01k9z4m2n8q6r5t3v7w1x0y2za",
    "event_id": "evt_01k9z4m2n8q6r5t3v7w1x0y2za",
    "event": "agent.completed",
    "status": "delivered",
    "attempts": 1,
    "next_attempt_at": None,
    "created_at": _MOMENT,
    "ended_at": "2026-11-21T08:00:00.085000Z",
}
_ATTEMPT: Json = {
    "number": 1,
    "started_at": _MOMENT,
    "status": 200,
    "milliseconds": 84,
    "answer": "ok",
    "error": None,
}

_DEPLOYMENT: Json = {
    "deployment_id": 7,
    "fleet_id": 3,
    "status": "running",
    **BODIES["deploy_fleet"],
    "agents": [1],
    "agents_deployed": 1,
    "started_at": _MOMENT,
}
_DEPLOYED: Json = {**_DEPLOYMENT, "message": "Deployed 1 agent with the strategy parallel."}
_ENDED: Json = {
    **_DEPLOYMENT,
    "status": "completed",
    "result": {"reply": _ANSWER, "failures": []},
    "error": None,
    "ended_at": "2026-11-21T08:00:01.830000Z",
}
_PART: Json = {
    "number": 1,
    "kind": "work",
    "agent_id": 1,
    "agent_name": "Netwatch",
    "agent_role": "specialist",
    "is_copy": False,
    "task": BODIES["deploy_fleet"]["task"],
    "run_id": 12,
    "status": "completed",
    "reply": _ANSWER,
    "error": None,
    "started_at": _MOMENT,
    "ended_at": "2026-11-21T08:00:01.830000Z",
}

_KEY: Json = {
    "id": 5,
    "prefix": "ak_live_Zk2mQ8rT",
    **BODIES["create_key"],
    "mode": "live",
    "created_at": _MOMENT,
    "expires_at": None,
    "last_used_at": _MOMENT,
    "successor_id": None,
}
_APP: Json = {
    "id": 3,
    "client_id": "app_0123456789abcdef0123456789abcdef",
    **BODIES["create_app"],
    "public": False,
    "created_at": _MOMENT,
    "updated_at": _MOMENT,
}
_SCHEDULE_RUN: Json = {
    "id": 31,
    "schedule_id": 5,
    "due_at": "2026-11-20T08:00:00Z",
    "manual": False,
    "missed_since": None,
    "status": "fired",
    "reason": None,
    "run_id": 12,
    "deployment_id": None,
    "outcome": "completed",
    "created_at": "2026-11-20T08:00:00.021000Z",
    "fired_at": "2026-11-20T08:00:00.021000Z",
}
_SCHEDULE: Json = {
    "id": 5,
    **BODIES["create_schedule"],
    "at": None,
    "fleet_id": None,
    "task": None,
    "overlap": "skip",
    "missed": "once",
    "jitter_s": 0,
    "enabled": True,
    "disabled_reason": None,
    "next_at": "2026-11-23T08:00:00Z",
    "last_run": _SCHEDULE_RUN,
    "created_at": _MOMENT,
    "updated_at": _MOMENT,
}

RECORDS: dict[str, Json] = {
    "Agent": {
        "id": 1,
        **BODIES["create_agent"],
        "fleet_id": None,
        "status": "idle",
        "voice_enabled": False,
        "voice_engine": "hibari",
        "approval": "none",
        "created_at": _MOMENT,
        "updated_at": _MOMENT,
    },
    "AgentDeleted": {"id": 1, "agent_id": 1, "deleted": True},
    "Fleet": {
        "id": 3,
        **BODIES["create_fleet"],
        "status": "active",
        "auto_scale": False,
        "agent_count": 1,
        "tasks_completed": 0,
        "created_at": _MOMENT,
    },
    "FleetDeleted": {"id": 3, "fleet_id": 3, "deleted": True},
    "DeploymentBegun": _DEPLOYED,
    "Deployment": _ENDED,
    "DeploymentDetails": {**_ENDED, "parts": [_PART]},
    "Part": _PART,
    "Schedule": _SCHEDULE,
    "ScheduleRun": _SCHEDULE_RUN,
    "ScheduleDeleted": {"id": 5, "deleted": True},
    "Executed": {"reply": _ANSWER, **_FIGURES, "run_id": 12},
    "Run": _RUN,
    "RunDetails": {**_RUN, "steps": [_STEP]},
    "Step": _STEP,
    "ChatReply": {"reply": _ANSWER, "conversation_id": _CONVERSATION, "model": "alfred-default", **_FIGURES},
    "Conversation": {
        "conversation_id": _CONVERSATION,
        "title": _QUESTION,
        "model": "alfred-default",
        "message_count": 2,
        "last_message": _ANSWER,
        "created_at": _MOMENT,
        "updated_at": _MOMENT,
    },
    "File": {
        "id": _FILE,
        "name": "report.txt",
        "media_type": "text/plain",
        "size": 12,
        "sha256": "a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447",
        "created_at": _MOMENT,
    },
    "FileDeleted": {"id": _FILE, "deleted": True},
    "ConversationDeleted": {"conversation_id": _CONVERSATION, "deleted": True},
    "Message": {"role": "assistant", "content": _ANSWER, "created_at": _MOMENT},
    "Model": {"name": "alfred-default", "default": True},
    "Tool": {
        "name": _TOOL,
        "description": "Calculate an IPv4 or IPv6 subnet from its CIDR notation.",
        "category": "web",
        "tier": "free",
        "input_schema": {
            "type": "object",
            "properties": {"cidr": {"type": "string", "description": "A network in CIDR notation"}},
            "required": ["cidr"],
            "additionalProperties": False,
        },
        "tags": ["ip", "cidr", "subnet"],
        "needs": [],
    },
    "Category": {"slug": "web", "name": "Web", "count": 1},
    "Usage": {
        "period": "2026-11",
        "plan": "starter",
        "api_calls": {"used": 1204, "limit": 100000},
        "tools_executed": {"used": 87, "limit": 20000},
        "agents_active": {"used": 3, "limit": 10},
        "fleets_active": {"used": 0, "limit": 3},
        "voice_minutes": {"used": 0, "limit": 120},
        "storage_mb": {"used": 0, "limit": 1024},
    },
    "History": {
        "date": "2026-11-21",
        "resource_type": "tools",
        "count": 87,
        "errors": 2,
        "tokens": 0,
        "credits": 85,
        "seconds": 0.412,
    },
    "Webhook": _WEBHOOK,
    "WebhookSecret": {**_WEBHOOK, "secret": "whsec_" + "A" * 43 + "="},
    "WebhookDeleted": {"id": 4, "deleted": True},
    "Delivery": _DELIVERY,
    "DeliveryDetails": {**_DELIVERY, "log": [_ATTEMPT]},
    "Connection": _CONNECTION,
    "ConnectionDeleted": {"id": 5, "deleted": True},
    "ConnectionKind": {
        "kind": "ntfy",
        "description": "An account of an ntfy server, for topics that are protected.",
        "testable": True,
        "settings": {
            "type": "object",
            "properties": {"server": {"type": "string", "default": "https://ntfy.sh"}},
            "additionalProperties": False,
        },
        "secret": {
            "type": "object",
            "properties": {"token": {"type": "string"}},
            "required": ["token"],
            "additionalProperties": False,
        },
    },
    "Source": _SOURCE,
    "SourceRefreshed": {**_SOURCE, "tools": 2, "added": ["pets_list_owners"], "changed": [], "removed": []},
    "SourceDeleted": {"id": 2, "deleted": True},
    "Key": _KEY,
    "KeySecret": {**_KEY, "last_used_at": None, "key": "ak_live_Zk2mQ8rT_" + "A" * 32},
    "KeyDeleted": {"id": 5, "deleted": True},
    "App": _APP,
    "AppSecret": {**_APP, "client_secret": "acs_" + "A" * 43},
    "AppDeleted": {"id": 3, "deleted": True},
    "Grant": {
        "id": 8,
        "client_id": _APP["client_id"],
        "app_name": _APP["name"],
        "kind": "code",
        "scopes": ["usage:read"],
        "created_at": _MOMENT,
    },
    "GrantDeleted": {"id": 8, "deleted": True},
    "Session": {
        "id": 9,
        "address": "203.0.113.9",
        "user_agent": "curl/8.5.0",
        "current": True,
        "created_at": _MOMENT,
        "last_used_at": _MOMENT,
        "expires_at": "2026-12-21T08:00:00.000000Z",
    },
    "SessionDeleted": {"id": 9, "deleted": True},
    "SessionsRevoked": {"revoked": 2},
    "SessionToken": {"token": "sess_" + "A" * 43, "expires_at": "2026-12-21T08:00:00.000000Z"},
    "Account": {
        "id": 1,
        "email": "ada@example.com",
        "name": "Ada",
        "plan": "starter",
        "operator": False,
        "has_password": True,
        "second_factor": True,
        "recovery_codes_left": 10,
        "created_at": _MOMENT,
    },
    "TotpSetup": {
        "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        "uri": "otpauth://totp/Retinue:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Retinue",
    },
    "RecoveryCodes": {"recovery_codes": ["abcd-efgh-jkmn-pqrs", "tuvw-xyz2-3456-789a"]},
    "Accepted": {"accepted": True},
    "ToolResult": {
        "tool": _TOOL,
        "result": {"network": "172.16.8.0/21", "usable_hosts": 2046},
        "execution_time_ms": 4,
        "credits_used": 1,
    },
}
"""A record of each kind, by the name of its schema."""


def add_to(schemas: Json) -> Json:
    """The schemas with the examples of those that have one."""
    return {
        name: {**schema, "examples": [RECORDS[name]]} if name in RECORDS else schema for name, schema in schemas.items()
    }

"""Detection of attacks in logs and queries: guessed passwords and SQL injection."""

import re
from collections import defaultdict
from datetime import datetime
from typing import Annotated, Any, Literal

import sqlglot
from sqlglot.errors import SqlglotError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_FAILURES = (
    r"Failed (?:password|publickey|keyboard-interactive/pam) "
    r"for (?:invalid user )?(?P<user>\S{0,100}) from (?P<ip>[0-9A-Fa-f.:]{3,45})",
    r"Invalid user (?P<user>\S{0,100}) from (?P<ip>[0-9A-Fa-f.:]{3,45})",
    r"authentication failure;.*?rhost=(?P<ip>[0-9A-Fa-f.:]{3,45})(?:\s+user=(?P<user>\S{0,100}))?",
    r"^(?P<ip>[0-9A-Fa-f.:]{3,45}) \S+ (?P<user>\S+) \[[^\]]*\] \"[^\"]*\" 40[13] ",
    r"(?i)(?:login|logon|auth\w*) (?:failed|failure|error)"
    r".*?user[= :\"']+(?P<user>[\w.@-]{1,100}).*?(?P<ip>\d{1,3}(?:\.\d{1,3}){3})",
    r"(?i)(?:login|logon|auth\w*) (?:failed|failure|error).*?(?P<ip>\d{1,3}(?:\.\d{1,3}){3})",
)
_SUCCESS = re.compile(r"Accepted \S+ for (?P<user>\S{1,100}) from (?P<ip>[0-9A-Fa-f.:]{3,45})")
_STAMPS = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d", None),
    (r"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d", "%d/%b/%Y:%H:%M:%S"),
    (r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d", "%b %d %H:%M:%S"),
)
_LOG = "".join(
    f"Mar  3 10:00:{second:02} host sshd[1]: Failed password for root from 203.0.113.9 port 4000 ssh2\n"
    for second in range(6)
)


class Attacker(TypedDict):
    """An address with failed logins."""

    ip: Annotated[str, About("The address")]
    failures: Annotated[int, About("Failed logins")]
    most_in_window: Annotated[int, About("Maximum number of failed logins within the window")]
    users: Annotated[list[str], About("User names that it tried, at most 20")]
    first: Annotated[str, About("Time of its first failure, as in the log")]
    last: Annotated[str, About("Time of its last failure, as in the log")]
    got_in: Annotated[bool, About("Whether a login from this address succeeded after the failures")]


class BruteForce(TypedDict):
    """Attempts to guess passwords."""

    attackers: Annotated[list[Attacker], About("Addresses over the threshold, most active first, at most 200")]
    failures: Annotated[int, About("All failed logins")]
    sources: Annotated[int, About("Addresses with failed logins")]
    users: Annotated[dict[str, int], About("The 20 most frequently tried user names")]
    lines: Annotated[int, About("Number of lines read")]


@tool(
    tags="log brute force detect failed login ssh auth.log attack fail2ban password guessing nginx",
    use_when=(
        "Find brute-force attempts in this auth.log",
        "Which IPs try to guess SSH passwords?",
        "Did an attacker get in after failed logins?",
    ),
    examples=(
        Example(
            {"log": _LOG + "Mar  3 10:01:00 host sshd[1]: Accepted password for root from 203.0.113.9 port 4001 ssh2"},
            {
                "attackers": [
                    {
                        "ip": "203.0.113.9",
                        "failures": 6,
                        "most_in_window": 6,
                        "users": ["root"],
                        "first": "Mar  3 10:00:00",
                        "last": "Mar  3 10:00:05",
                        "got_in": True,
                    }
                ],
                "failures": 6,
                "lines": 7,
            },
            source="by hand, in the form of OpenSSH's log",
        ),
        Example(
            {"log": _LOG, "threshold": 4, "window_s": 2}, {"attackers": [], "sources": 1}, source="by hand: 3 in 2 s"
        ),
        Refusal({"log": ""}, "log"),
    ),
    reply={
        "attackers": "{failures|login} failed, and these addresses look like attackers: {attackers}",
        "failures": "{failures|login} failed, but no address looks like an attacker.",
        "": "There are no failed logins in the log.",
    },
    pace="normal",
)
def log_detect_bruteforce(
    log: Annotated[
        str,
        About(
            "Lines of a log, such as that of sshd, nginx or an application", _LOG, min_length=1, max_length=2_000_000
        ),
    ],
    threshold: Annotated[
        int, About("Failed logins within the window that indicate an attacker", minimum=2, maximum=10_000)
    ] = 5,
    window_s: Annotated[int, About("Length of the window in seconds", minimum=1, maximum=86_400)] = 600,
) -> BruteForce:
    """Find addresses that guess passwords in a log: many failed logins in a short time, and whether a login succeeded.

    Use it for logs of SSH, PAM, web servers (401, 403) and applications. Lines without a time are counted in one
    window.
    """
    failures: dict[str, list[tuple[str, float | None, str]]] = defaultdict(list)
    entered: set[str] = set()
    tried: dict[str, int] = defaultdict(int)
    lines = log.splitlines()
    for line in lines:
        stamp, seconds = _time(line)
        if found := _SUCCESS.search(line):
            entered |= {found["ip"]} if found["ip"] in failures else set()
        elif failure := _failure(line):
            ip, user = failure
            failures[ip].append((stamp, seconds, user))
            tried[user] += bool(user)
    attackers = [_attacker(ip, events, window_s, ip in entered) for ip, events in failures.items()]
    guilty = [attacker for attacker in attackers if attacker["most_in_window"] >= threshold]
    users = sorted(((user, count) for user, count in tried.items() if user), key=lambda pair: -pair[1])
    return {
        "attackers": sorted(guilty, key=lambda attacker: -attacker["failures"])[:200],
        "failures": sum(map(len, failures.values())),
        "sources": len(failures),
        "users": dict(users[:20]),
        "lines": len(lines),
    }


def _failure(line: str) -> tuple[str, str] | None:
    for pattern in _FAILURES:
        if found := re.search(pattern, line[:2000]):
            return found["ip"], (found.groupdict().get("user") or "").strip("\"'")
    return None


def _time(line: str) -> tuple[str, float | None]:
    for pattern, form in _STAMPS:
        if found := re.search(pattern, line[:200]):
            try:
                # A year that is missing in the log is treated as a leap year, because only differences count.
                text = f"2000 {found[0]}" if form and "%Y" not in form else found[0]
                full = f"%Y {form}" if form and "%Y" not in form else form
                moment = (
                    datetime.strptime(f"{text} +0000", f"{full} %z")
                    if full
                    else datetime.fromisoformat(f"{text}+00:00")
                )
            except ValueError:
                continue
            return found[0], moment.timestamp()
    return "", None


def _attacker(ip: str, events: list[tuple[str, float | None, str]], window_s: int, got_in: bool) -> Attacker:
    times = sorted(seconds for _, seconds, _ in events if seconds is not None)
    untimed, most, start = len(events) - len(times), 0, 0
    for end, seconds in enumerate(times):
        while seconds - times[start] > window_s:
            start += 1
        most = max(most, end - start + 1)
    return {
        "ip": ip,
        "failures": len(events),
        "most_in_window": most + untimed,
        "users": list(dict.fromkeys(user for _, _, user in events if user))[:20],
        "first": events[0][0],
        "last": events[-1][0],
        "got_in": got_in,
    }


class Injection(TypedDict):
    """Effect of an input on a query."""

    injected: Annotated[bool, About("Whether the input becomes SQL code rather than a value")]
    reasons: Annotated[list[str], About("Effect of the input")]
    query: Annotated[str, About("Resulting query")]
    advice: Annotated[str, About("How to prevent it")]


@tool(
    tags="sql injection detect input query template security parameter attack",
    use_when=(
        "Is ' OR 1=1 -- an SQL injection in this query?",
        "Does this user input change the shape of the SQL?",
        "Test a query template against an injection",
    ),
    examples=(
        Example(
            {"template": "SELECT * FROM users WHERE name = '{input}'", "value": "' OR '1'='1"},
            {"injected": True, "query": "SELECT * FROM users WHERE name = '' OR '1'='1'"},
            source="OWASP, SQL Injection: the classic example",
        ),
        Example(
            {"template": "SELECT * FROM users WHERE name = '{input}'", "value": "O''Brien"},
            {"injected": False, "reasons": []},
            source="ISO/IEC 9075: a doubled quote is a quote within the value",
        ),
        Example(
            {"template": "SELECT * FROM t WHERE id = {input}", "value": "1; DROP TABLE t", "dialect": "postgres"},
            {"injected": True},
            source="OWASP: a second statement",
        ),
        Refusal({"template": "SELECT 1", "value": "a"}, "{input}"),
        Refusal({"template": "SELEC {input} FRM", "value": "a"}, "template"),
    ),
    reply={
        "injected, reasons": "Yes, this input is an SQL injection: {reasons}",
        "injected": "Yes, this input is an SQL injection.",
        "": "No, this input stays a value.",
    },
    memory_mb=1024,
)
def sql_detect_injection(
    template: Annotated[
        str,
        About(
            "Query with {input} at the position of the value",
            "SELECT * FROM users WHERE name = '{input}'",
            max_length=20_000,
        ),
    ],
    value: Annotated[str, About("User input", "' OR '1'='1", max_length=10_000)],
    dialect: Annotated[
        Literal["any", "postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery"],
        About("Database dialect"),
    ] = "any",
) -> Injection:
    """Detect whether an input changes the structure (shape) of an SQL query that it is pasted into, by comparing syntax
    trees.

    Use it to test your own queries. Queries with bound parameters cannot be injected.
    """
    if template.count("{input}") != 1:
        raise ToolError("The template must contain {input} once, at the position of the value.")
    read = None if dialect == "any" else dialect
    harmless = _trees(template.replace("{input}", "1"), read)
    if harmless is None:
        raise ToolError("The template is not valid SQL. Try another dialect.")
    query = template.replace("{input}", value)
    trees = _trees(query, read)
    reasons = _changes(harmless, trees)
    return {
        "injected": bool(reasons),
        "reasons": reasons,
        "query": query,
        "advice": "Bind the value as a parameter instead of pasting it."
        if reasons
        else "Bind values as parameters anyway.",
    }


def _trees(query: str, dialect: str | None) -> list[Any] | None:
    try:
        return [tree for tree in sqlglot.parse(query, read=dialect) if tree is not None]
    except (SqlglotError, RecursionError, ValueError):
        return None


def _changes(before: list[Any], after: list[Any] | None) -> list[str]:
    if after is None:
        return ["The query is no valid SQL any more: the input breaks out of its value."]
    if len(after) != len(before):
        return [f"The query becomes {len(after)} statements."]
    shapes = [[[type(node).__name__ for node in tree.walk()] for tree in trees] for trees in (before, after)]
    if _plain(shapes[0]) == _plain(shapes[1]) and not any(node.comments for tree in after for node in tree.walk()):
        return []
    added = sorted({name for tree in shapes[1] for name in tree} - {name for tree in shapes[0] for name in tree})
    addition = f" It adds {', '.join(added[:10])}." if added else ""
    return [f"The input changes the structure of the query.{addition}"]


def _plain(shape: list[list[str]]) -> list[list[str]]:
    """A negative number is a value too."""
    return [[name for name in tree if name not in ("Neg", "Paren")] for tree in shape]

"""Parsing of log lines."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import plain
from retinue_tools.data_formats.csv_tables import type_of
from retinue_tools.data_formats.log_patterns import Lines, pattern_reader

_ACCESS = re.compile(
    r"(?:(?P<vhost>[\w.-]+:\d+) )?(?P<client>\S+) (?P<identity>\S+) (?P<user>.+?) \[(?P<time>[^\]]{20,40})\] "
    r'"(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}) (?P<bytes>\d+|-)'
    r'(?: "(?P<referer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)")?(?P<rest>.*)'
)
_SYSLOG = re.compile(
    r"<(?P<pri>\d{1,3})>(?:1 (?P<time>\S+) (?P<host>\S+) (?P<app>\S+) (?P<pid>\S+) (?P<id>\S+) "
    r'(?P<data>-|(?:\[(?:[^\]"\\]|\\.|"(?:[^"\\]|\\.)*")*\])+)(?: (?P<text>.*))?|'
    r"(?P<old_time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<old_host>\S+) "
    r"(?P<old_app>[^\s:\[]+)(?:\[(?P<old_pid>\d+)\])?: ?(?P<old_text>.*))",
    re.DOTALL,
)
_ELEMENT = re.compile(r'\[([^\s\]="]+)((?: [^\s=\]"]+="(?:[^"\\]|\\.)*")*)\]')
_PARAMETER = re.compile(r' ([^\s=\]"]+)="((?:[^"\\]|\\.)*)"')
_PAIR = re.compile(r'([^\s="]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*)))?(?=\s|$)')
_SEVERITIES = ("emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug")
_FACILITIES = (
    "kern",
    "user",
    "mail",
    "daemon",
    "auth",
    "syslog",
    "lpr",
    "news",
    "uucp",
    "cron",
    "authpriv",
    "ftp",
    "ntp",
    "audit",
    "alert",
    "clock",
    *(f"local{number}" for number in range(8)),
)


class Entries(TypedDict):
    """Parsed log entries."""

    records: Annotated[list[dict[str, Any]], About("One object for each parsed line")]
    unread: Annotated[list[str], About("Lines that do not match, at most 20, truncated to 200 characters")]
    unread_count: Annotated[int, About("Number of lines that do not match")]


@tool(
    tags="log parse access apache nginx web server combined status requests syslog rfc5424 rfc3164 priority facility "
    "severity logfmt key value structured grok pattern logstash extract fields regex",
    use_when=(
        "Parse these nginx access log lines",
        "Turn an Apache log into JSON",
        "Which URLs and status codes are in this access log?",
        "Parse these syslog messages",
        "What facility and severity has <165> in syslog?",
        "Read RFC 5424 structured data",
        "Parse this logfmt output",
        'Read lines like level=info msg="request done" ms=12',
        "Turn these key=value log lines into objects",
        "Parse these log lines with %{IP:client} %{WORD:method} %{URIPATH:path}",
        "Extract level and message from lines of my application log",
        "How do I split '55.3.244.1 GET /index.html 15824' into fields?",
    ),
    examples=(
        Example(
            {
                "log": '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326 '
                '"http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)"\n\nnoise\n',
                "form": "access",
            },
            {
                "records": [
                    {
                        "client": "127.0.0.1",
                        "user": "frank",
                        "time": "2000-10-10T13:55:36-07:00",
                        "method": "GET",
                        "target": "/apache_pb.gif",
                        "protocol": "HTTP/1.0",
                        "status": 200,
                        "bytes": 2326,
                        "referer": "http://www.example.com/start.html",
                        "agent": "Mozilla/4.08 [en] (Win98; I ;Nav)",
                    }
                ],
                "unread": ["noise"],
                "unread_count": 1,
            },
            source="Apache HTTP Server documentation, Log Files, Combined Log Format",
        ),
        Example(
            {
                "log": "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 "
                '[exampleSDID@32473 iut="3" eventSource="Application" eventID="1011"] An event',
                "form": "syslog",
            },
            {
                "records": [
                    {
                        "facility": "local4",
                        "severity": "notice",
                        "time": "2003-10-11T22:14:15.003Z",
                        "host": "mymachine.example.com",
                        "app": "evntslog",
                        "pid": None,
                        "id": "ID47",
                        "message": "An event",
                        "data": {"exampleSDID@32473": {"iut": "3", "eventSource": "Application", "eventID": "1011"}},
                    }
                ]
            },
            source="RFC 5424, section 6.5, example 3, its message shortened",
        ),
        Example(
            {"log": "<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8", "form": "syslog"},
            {
                "records": [
                    {
                        "facility": "auth",
                        "severity": "critical",
                        "host": "mymachine",
                        "app": "su",
                        "message": "'su root' failed for lonvick on /dev/pts/8",
                        "time": "Oct 11 22:14:15",
                    }
                ]
            },
            source="RFC 3164, section 5.4, example 1",
        ),
        Example(
            {"log": 'level=info tag=stopping_fetchers id=7 msg="said \\"hi\\"" debug\n', "form": "logfmt"},
            {"records": [{"level": "info", "tag": "stopping_fetchers", "id": 7, "msg": 'said "hi"', "debug": True}]},
            source="by hand, by the rules of the logfmt package for Go",
        ),
        Example(
            {"log": "a=1 b=", "form": "logfmt", "types": False}, {"records": [{"a": "1", "b": ""}]}, source="by hand"
        ),
        Example(
            {
                "log": "55.3.244.1 GET /index.html 15824 0.043\n",
                "form": "pattern",
                "pattern": "%{IP:client} %{WORD:method} %{URIPATH:path} %{NUMBER:bytes:int} %{NUMBER:time:float}",
            },
            {
                "records": [
                    {
                        "client": "55.3.244.1",
                        "method": "GET",
                        "path": "/index.html",
                        "bytes": 15824,
                        "time": 0.043,
                    }
                ]
            },
            source="Logstash documentation of the grok filter, its example with shorter names",
        ),
        Example(
            {
                "log": "[warn] disk: full",
                "form": "pattern",
                "pattern": r"\[%{LOGLEVEL:level}\] (?<part>\w+): %{GREEDYDATA:text}",
            },
            {"records": [{"level": "warn", "part": "disk", "text": "full"}]},
            source="by hand",
        ),
        Refusal({"log": "hello", "form": "access"}, "No line"),
        Refusal({"log": "<999>x", "form": "syslog"}, "No line"),
        Refusal({"log": '"', "form": "logfmt"}, "No line"),
        Refusal({"log": "x", "form": "pattern"}, "Give a pattern"),
        Refusal({"log": "x", "form": "pattern", "pattern": "%{NOPE:a}"}, "NOPE"),
        Refusal({"log": "x", "form": "pattern", "pattern": "%{IP:a}"}, "No line"),
        Refusal({"log": "a" * 40 + "!", "form": "pattern", "pattern": "(?<x>(a|aa)+)$"}, "too long"),
    ),
    reply={
        "records, unread_count": "{unread_count|line} could not be read. The others: {records}",
        "records": "The entries: {records}",
        "": "No line could be read.",
    },
    aliases=(
        Alias("log_parse_access", constants={"form": "access"}),
        Alias("log_parse_syslog", constants={"form": "syslog"}),
        Alias("log_parse_logfmt", constants={"form": "logfmt"}),
        Alias("log_parse_pattern", constants={"form": "pattern"}),
    ),
)
def log_parse_lines(
    log: Lines,
    form: Annotated[
        Literal["access", "syslog", "logfmt", "pattern"],
        About("access: Apache and nginx, common or combined; pattern: the format in the argument pattern"),
    ],
    pattern: Annotated[
        str | None,
        About(
            "Grok pattern or regular expression with named groups",
            "%{IP:client} %{WORD:method} %{URIPATH:path}",
            min_length=1,
            max_length=2000,
        ),
    ] = None,
    types: Annotated[bool, About("For logfmt: whether to convert numbers, true and false")] = True,
) -> Entries:
    """Parse log lines: access logs of web servers, syslog, logfmt, or lines that match a grok pattern or expression.

    Use it to analyse requests, messages with a leading priority such as <34> (RFC 5424 or 3164), key=value pairs, and
    logs in custom formats. Returns one object per line with its fields, times in ISO 8601, and the lines that do not
    match. Patterns support WORD, NUMBER, INT, IP, HOSTNAME, URIPATH, LOGLEVEL, TIMESTAMP_ISO8601, GREEDYDATA and
    others.
    """
    if form == "pattern":
        if pattern is None:
            raise ToolError("Give a pattern such as %{IP:client} %{WORD:method}, or another form.")
        return _entries(log, pattern_reader(pattern))
    readers: dict[str, Callable[[str], dict[str, Any] | None]] = {
        "access": _access,
        "syslog": _syslog,
        "logfmt": partial(_logfmt, types=types),
    }
    return _entries(log, readers[form])


def _logfmt(line: str, types: bool) -> dict[str, Any] | None:
    """Parse the pairs of a line; a key without a value is true."""
    pairs = list(_PAIR.finditer(line))
    if _PAIR.sub("", line).strip() or not pairs:
        return None
    return {found[1]: _logfmt_value(found, types) for found in pairs}


def _entries(log: str, read: Callable[[str], dict[str, Any] | None]) -> Entries:
    """Parse lines with `read`, which returns None for a line that does not match."""
    lines = [line for line in log.splitlines() if line.strip()]
    records = [read(line) for line in lines]
    unread = [line for line, record in zip(lines, records, strict=True) if record is None]
    if len(unread) == len(lines):
        raise ToolError(f"No line of the log matches. The first is {lines[0][:100] if lines else ''!r}.")
    parsed = [record for record in records if record is not None]
    return {"records": plain(parsed), "unread": [line[:200] for line in unread[:20]], "unread_count": len(unread)}


def _access(line: str) -> dict[str, Any] | None:
    found = _ACCESS.fullmatch(line.strip())
    if not found:
        return None
    method, _, rest = found["request"].partition(" ")
    target, _, protocol = rest.rpartition(" ") if " " in rest else (rest, "", "")
    return {
        "client": found["client"],
        "user": _present(found["user"]),
        "time": _http_time(found["time"]),
        "method": method,
        "target": target,
        "protocol": protocol or None,
        "status": int(found["status"]),
        "bytes": 0 if found["bytes"] == "-" else int(found["bytes"][:18]),
        "referer": _present(found["referer"]),
        "agent": _present(found["agent"]),
    }


def _present(field: str | None) -> str | None:
    return None if field in ("-", None) else field


def _http_time(text: str) -> str:
    """Return the time in ISO 8601, or unchanged if it cannot be parsed."""
    try:
        return datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").isoformat()
    except ValueError:
        return text


def _syslog(line: str) -> dict[str, Any] | None:
    found = _SYSLOG.fullmatch(line)
    if not found or int(found["pri"]) > 191:
        return None
    facility, severity = divmod(int(found["pri"]), 8)
    names = ("time", "host", "app", "pid", "text")
    new = found["time"] is not None
    time, host, app, pid, text = (found[name if new else f"old_{name}"] for name in names)
    return {
        "facility": _FACILITIES[facility],
        "severity": _SEVERITIES[severity],
        "time": _present(time),
        "host": _present(host),
        "app": _present(app),
        "pid": _present(pid),
        "id": _present(found["id"]),
        "data": {name: _parameters(text) for name, text in _ELEMENT.findall(found["data"] or "")},
        "message": (text or "").removeprefix("\ufeff"),
    }


def _parameters(text: str) -> dict[str, str]:
    return {name: re.sub(r'\\(["\\\]])', r"\1", value) for name, value in _PARAMETER.findall(text)}


def _logfmt_value(found: re.Match[str], types: bool) -> Any:
    if found[2] is not None:
        return re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), found[2])
    if found[3] is None:
        return True
    return type_of(found[3]) if types and found[3] else found[3]

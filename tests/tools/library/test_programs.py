"""The tools that run programs, over HTTP: what they keep in the workspace, for whom, and where they cannot run."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ONE_DATABASE, NewUser, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.workspace.support import at_once, call, decline, finish

PROGRAMS: list[tuple[str, dict[str, Any]]] = [
    ("shell_run_command", {"command": "cat *", "folder": "/mine"}),
    ("python_run_script", {"code": "print(open('secret.txt').read())", "folder": "/mine"}),
    ("code_lint_folder", {"folder": "/mine"}),
    ("code_format_folder", {"folder": "/mine"}),
    ("pytest_run_folder", {"folder": "/mine"}),
    ("git_show_status", {"folder": "/mine"}),
    ("git_commit_changes", {"folder": "/mine", "message": "x"}),
]


runs_programs = pytest.mark.needs_program("bwrap", "git")


@runs_programs
def test_changes_of_a_program_are_stored(client: Client) -> None:
    finish(client, "file_write", path="/p/keep.txt", text="kept")
    finish(client, "file_write", path="/p/change.txt", text="old")
    finish(client, "file_write", path="/p/sub/delete.txt", text="x")
    finish(client, "file_write", path="/other/untouched.txt", text="x")
    script = "echo new > change.txt; rm sub/delete.txt; mkdir -p a/b; printf 'bin\\0ary' > a/b/made; mkdir empty"
    run = finish(client, "shell_run_command", command=script, folder="/p/")
    assert run["created"] == ["/p/a/b/made"]
    assert run["changed"] == ["/p/change.txt"]
    assert run["deleted"] == ["/p/sub/delete.txt"]
    assert finish(client, "file_read", path="/p/change.txt")["text"] == "new\n"
    assert finish(client, "file_info", path="/p/a/b/made")["size_bytes"] == 7
    assert finish(client, "file_info", path="/p/keep.txt")["size_bytes"] == 4
    decline(client, "file_read", "There is no file", path="/p/sub/delete.txt")


@runs_programs
def test_a_file_can_become_a_folder_and_a_folder_a_file(client: Client) -> None:
    finish(client, "file_write", path="/p/a", text="x")
    finish(client, "file_write", path="/p/b/c", text="x")
    script = "rm -r a b; mkdir a; echo 1 > a/x; echo 2 > b"
    run = finish(client, "shell_run_command", command=script, folder="/p")
    assert (run["created"], run["deleted"]) == (["/p/a/x", "/p/b"], ["/p/a", "/p/b/c"])
    assert finish(client, "folder_show_tree", folder="/p")["tree"] == "a/\n  x\nb"


@runs_programs
def test_a_program_that_a_limit_ended_changes_nothing(client: Client) -> None:
    finish(client, "file_write", path="/p/a.txt", text="old")
    script = "echo new > a.txt; echo begun; sleep 60"
    run = finish(client, "shell_run_command", command=script, folder="/p", time_limit_s=1)
    assert (run["ended_by"], run["exit_code"], run["stdout"]) == ("time limit", None, "begun\n")
    assert finish(client, "file_read", path="/p/a.txt")["text"] == "old"


@runs_programs
def test_links_and_other_oddities_are_left_out_and_never_followed(client: Client, server: Server) -> None:
    finish(client, "file_write", path="/p/a.txt", text="mine")
    secret = server.home / "secret.txt"
    secret.write_text("a secret of the server")
    script = (
        f"ln -s {secret} link; ln -s {server.home} folder; ln -s /etc/passwd passwd; rm a.txt; ln -s {secret} a.txt;"
        "mkfifo pipe; echo x > good; touch 'back\\slash' ' space';"
        "touch \"$(printf 'bad\\377name')\" \"$(printf 'new\\nline')\""
    )
    run = finish(client, "shell_run_command", command=script, folder="/p")
    assert run["created"] == ["/p/good"]
    assert (run["changed"], run["deleted"]) == ([], [])
    assert {"/p/link", "/p/folder", "/p/passwd", "/p/a.txt", "/p/pipe", "/p/back\\slash"} <= set(run["left_out"])
    assert len(run["left_out"]) == 9
    assert finish(client, "file_read", path="/p/a.txt")["text"] == "mine"
    assert finish(client, "folder_show_tree", folder="/p")["tree"] == "a.txt\ngood"


@runs_programs
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("for i in $(seq 2001); do : > $i; done", ("2,000 files",)),
        ("for i in 1 2; do head -c 40000000 /dev/zero > $i; done", ("64 MiB",)),
        ("truncate -s 50M a b c", ("64 MiB",)),
        ("for i in $(seq 501); do : > $i; done", ("the limit is 500",)),
    ],
)
def test_content_beyond_the_limit_is_not_stored(client: Client, script: str, words: tuple[str, ...]) -> None:
    response = call(client, "shell_run_command", command=script, folder="/p")
    refuse(response, 400, *words)
    assert finish(client, "file_list", folder="/p")["total"] == 0


@runs_programs
def test_many_files_at_once_are_kept(client: Client) -> None:
    script = "for i in $(seq 500); do echo $i > $i; done"
    run = finish(client, "shell_run_command", command=script, folder="/many")
    assert (len(run["created"]), run["exit_code"]) == (200, 0)
    assert finish(client, "file_list", folder="/many")["total"] == 500


@runs_programs
def test_a_folder_that_others_change_meanwhile_keeps_their_change(start_server: StartServer, new_user: NewUser) -> None:
    user = new_user(start_server(RETINUE_PROGRAMS="3"))  # of which an account may run two at once
    client = user.client()
    finish(client, "file_write", path="/p/a.txt", text="0")
    both = [{"command": f"sleep 2; echo {number} > a.txt", "folder": "/p"} for number in (1, 2)]
    answers = at_once(user, "shell_run_command", both, hands=2)
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [200, 503]
    assert "was changed while" in next(a for a in answers if a.status_code == 503).json()["error"]["message"]
    kept = next(n for n, answer in enumerate(answers, 1) if answer.status_code == 200)
    assert finish(client, "file_read", path="/p/a.txt")["text"] == f"{kept}\n"


@runs_programs
def test_the_folder_must_be_one(client: Client) -> None:
    finish(client, "file_write", path="/p/a.txt", text="x")
    response = call(client, "shell_run_command", command="ls", folder="/p/a.txt")
    refuse(response, 400, "is a file")


@runs_programs
def test_storage_has_its_quota(start_server: StartServer, new_user: NewUser, tmp_path: Path) -> None:
    plans = tmp_path / "plans.toml"
    plan = 'tools = "pro"\nrequests = {minute = 1000, hour = 10000, day = 10000}\nkeys = 5\nquotas = {storage_mb = 1}\n'
    plans.write_text("".join(f"[{name}]\n{plan}" for name in ("free", "starter", "professional", "enterprise")))
    server = start_server(RETINUE_PLANS_FILE=str(plans))
    small = new_user(server, plan="free").client()
    script = "head -c 600000 /dev/zero > a; head -c 600000 /dev/zero > b"
    response = call(small, "shell_run_command", command=script, folder="/p")
    refuse(response, 400, "storage_mb")
    assert finish(small, "file_list", folder="/p")["total"] == 0
    assert server.cli("check") == "All is well.\n"


@pytest.mark.parametrize(("tool", "args"), PROGRAMS)
def test_a_credential_with_the_scope_is_needed(nobody: Client, user: User, tool: str, args: dict[str, Any]) -> None:
    refuse(call(nobody, tool, **args), 401)
    refuse(call(user.client(scopes=("tools:read",)), tool, **args), 403, "tools:execute")


@pytest.mark.parametrize(("tool", "args"), PROGRAMS)
def test_a_plan_with_the_tier_is_needed(server: Server, new_user: NewUser, tool: str, args: dict[str, Any]) -> None:
    refuse(call(new_user(server, plan="starter").client(), tool, **args), 403, "professional")


@runs_programs
@pytest.mark.parametrize(("tool", "args"), PROGRAMS)
def test_the_folder_of_another_user_is_empty(client: Client, stranger: Client, tool: str, args: dict[str, Any]) -> None:
    finish(client, "file_write", path="/mine/secret.txt", text="zanzibar")
    finish(client, "file_write", path="/mine/test_a.py", text="def test_a(): assert 'zanzibar' == ''\n")
    response = call(stranger, tool, **args)
    assert "zanzibar" not in response.text
    assert response.status_code in (200, 400)
    assert finish(client, "file_read", path="/mine/secret.txt")["text"] == "zanzibar"


@runs_programs
def test_a_repository_is_files_and_goes_on_from_call_to_call(client: Client) -> None:
    finish(client, "git_init_repository", folder="/r")
    for number in range(3):
        finish(client, "file_write", path="/r/a.txt", text=f"{number}\n")
        finish(client, "git_commit_changes", folder="/r", message=f"Commit {number}")
    finish(client, "git_switch_branch", folder="/r", branch="HEAD~1")
    assert finish(client, "file_read", path="/r/a.txt")["text"] == "1\n"
    status = finish(client, "git_show_status", folder="/r")
    assert (status["branch"], status["clean"]) == ("", True)
    run = finish(
        client, "shell_run_command", folder="/r", command="git fsck --strict && git log --oneline main | wc -l"
    )
    assert (run["exit_code"], run["stdout"]) == (0, "3\n")


@ONE_DATABASE
@runs_programs
@pytest.mark.parametrize("revision", ["--output=/folder/x", "-p", "a b", "$(id)", ";id", "../..", "HEAD:a"])
def test_a_revision_is_no_option_and_no_command(client: Client, revision: str) -> None:
    finish(client, "git_init_repository", folder="/r")
    finish(client, "file_write", path="/r/a.txt", text="x")
    finish(client, "git_commit_changes", folder="/r", message="First")
    for tool in ("git_list_commits", "git_show_commit"):
        assert "uid=" not in decline(client, tool, folder="/r", revision=revision)
    assert finish(client, "file_list", folder="/r")["total"] == 2


@runs_programs
def test_hooks_and_settings_of_a_repository_run_in_the_bubble_alone(client: Client, tmp_path: Path) -> None:
    finish(client, "git_init_repository", folder="/r")
    finish(client, "file_write", path="/r/a.txt", text="x")
    proof = tmp_path / "proof"
    finish(client, "file_write", path="/r/.git/config", text=f"[core]\n\tfsmonitor = touch {proof} /folder/ran\n")
    finish(client, "file_write", path="/r/.git/hooks/pre-commit", text=f"#!/bin/sh\ntouch {proof}\n")
    finish(client, "git_commit_changes", folder="/r", message="First")
    assert not proof.exists()


def test_missing_programs_are_named_with_the_packages_to_install(
    start_server: StartServer, new_user: NewUser, tmp_path: Path
) -> None:
    server = start_server(PATH=str(tmp_path))
    client = new_user(server).client()
    message = refuse(call(client, "git_show_status", folder="/r"), 503, "git", "apt-get install")
    assert message.startswith("git_show_status cannot be called: ")
    refuse(call(client, "git_show_status", folder=""), 400)
    assert data(client.get("/tools/git_show_status"))["needs"] == ["bwrap", "git"]
    assert "git" in server.cli("doctor")


def test_a_worker_without_its_program_names_the_package_to_install(
    start_server: StartServer, new_user: NewUser, tmp_path: Path
) -> None:
    server = start_server(PATH=str(tmp_path))
    client = new_user(server).client()
    file = data(client.request("POST", "/files?name=a.mp3", data=b"x"), 201)["id"]
    message = refuse(call(client, "audio_cut_part", file=file, start_s=30), 503, "apt-get install ffmpeg")
    assert message.startswith("audio_cut_part cannot be called: ffmpeg and ffprobe not found")
    assert data(client.get("/tools/audio_cut_part"))["needs"] == ["ffmpeg", "ffprobe"]
    assert "apt-get install ffmpeg" in server.cli("doctor")


def test_programs_can_be_switched_off(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_PROGRAMS="0")
    refuse(call(new_user(server).client(), "shell_run_command", command="id"), 503, "RETINUE_PROGRAMS=0")


@ONE_DATABASE
@runs_programs
@pytest.mark.parametrize(
    "deed",
    [
        "os.mkdir('/tmp/report.jsonl')",
        "os.symlink('/etc/passwd', '/tmp/report.jsonl')",
        "os.mkfifo('/tmp/report.jsonl')",
        "open('/tmp/report.jsonl', 'w').write('[1]\\n{\"outcome\": 3}\\n{\\n')",
        "print(end='')",
    ],
)
def test_tests_that_spoil_their_report_harm_themselves_alone(client: Client, deed: str) -> None:
    finish(
        client,
        "file_write",
        path="/p/test_a.py",
        text=f"import os\nos.unlink('/tmp/report.jsonl')\n{deed}\ndef test_a(): pass\n",
    )
    run = finish(client, "pytest_run_folder", folder="/p")
    assert (run["passed"], run["failures"], run["ended_by"]) == (0, [], "itself")
    assert "root:" not in str(run)

"""Commands of a model that run unasked: they cannot write, run the project's code or show its secrets."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.processes.sandbox import probe
from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.in_process import QuickProject
from tests.end_to_end.run.project import Project, Ran

pytestmark = pytest.mark.e2e

SECRET = "hunter2-of-this-test"
MORE_THAN_ONE = "it is more than one command"
KINDS = ("bubblewrap", "landlock")
BUBBLEWRAP = {"HOLDFAST_SANDBOX": "bubblewrap"}


@pytest.fixture
def quick_project(tmp_path: Path) -> Project:
    """A project whose turns run in this process. Only for commands that do not run: a process looks for a sandbox once."""
    return QuickProject(tmp_path)


def run_commands(project: Project, *commands: str, words: tuple[str, ...] = (), **more: str) -> Ran:
    script = [call("run_command", command=command) for command in commands]
    with ScriptedServer([*script, say("Done.")]) as server:
        return project.run("Look around.", *words, server=server, **more)


def git(project: Project, *words: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    subprocess.run(
        ["git", "-C", str(project.root), *identity, *words], check=True, capture_output=True
    )


def asked(ran: Ran) -> list[tuple[str, str]]:
    """Give each question with its first reason: the others are what the sandbox cannot protect."""
    events = [event for event in ran.events if event["kind"] == "approval_asked"]
    return [(event["subject"], event["why"].partition("; ")[0]) for event in events]


def outputs(ran: Ran) -> dict[str, Any]:
    events = [event for event in ran.events if event["kind"] == "command_ran"]
    return {event["command"]: event["output"] for event in events}


def make_hostile(project: Project) -> None:
    """Add what a stranger's repository may have, and links that lead out."""
    project.write("-opwned", "x")
    project.write("--expression=1e touch pwned", "x")
    project.write("id_rsa", SECRET)
    project.write("words", "/etc/passwd\n")
    project.write("bare/HEAD", "ref: refs/heads/main\n")
    project.write(
        "bare/config",
        '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch pwned; false"\n',
    )
    for folder in ("objects", "refs"):
        (project.root / "bare" / folder).mkdir()
    (project.root / "link").symlink_to("/etc/hostname")
    (project.root / "linked").symlink_to("/etc")
    (project.root / "innocent").symlink_to("id_rsa")


def snapshot(root: Path) -> dict[str, bytes]:
    """Give every file of a project, with those of git."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.mark.parametrize(
    ("command", "why"),
    [
        # The grammar of the shell.
        ("ls &>/dev/null touch pwned", "it contains a shell operator"),
        ('echo `echo "\\\\$(touch pwned)"`', "the shell decides what `echo expands to"),
        ("cat a.py | head -1", MORE_THAN_ONE),
        # A pattern that expands to options.
        ("sort a.py -*", "the shell decides what -* expands to"),
        ("sed p *", "the shell decides what * expands to"),
        # A program that interprets files.
        ("cd bare && git status", "cd is a shell built-in"),
        ("git -C bare status", "git with -C may run other programs"),
        ("sed -n '/[/p;s/]/e touch pwned/' a.py", "this sed script may do more than print lines"),
        # An option glued to its value.
        ("date -uf/etc/passwd", "date with -f may do more than read"),
        ("file -m/etc/passwd a.py", "file with -m may do more than read"),
        # A file with more words.
        ("strings @words", "`strings` needs your approval"),
        # A link that leads out of the project, or to a secret.
        ("cat link", "link is outside the project"),
        ("cat linked/hostname", "linked/hostname is outside the project"),
        ("cat innocent", "innocent may hold secrets"),
        ("cat id_r*", "the shell decides what id_r* expands to"),
    ],
)
def test_what_only_looks_like_reading_is_asked_for_and_does_not_run(
    quick_project: Project, command: str, why: str
) -> None:
    make_hostile(quick_project)
    before = snapshot(quick_project.root)
    ran = run_commands(quick_project, command)
    assert (ran.code, ran.ended["stop_reason"]) == (3, "needs_approval")
    assert (asked(ran), outputs(ran)) == ([(command, why)], {})
    assert snapshot(quick_project.root) == before
    assert SECRET not in ran.out


@pytest.mark.parametrize("name", ["y", ""])
@pytest.mark.parametrize("kind", KINDS)
def test_git_runs_unasked_and_no_program_that_the_repository_names(
    project: Project, kind: str, name: str
) -> None:
    # Where only the switches of git keep it from writing, beside the root.
    pwned = project.root / "pwned"
    project.write(".gitattributes", f"*.py diff=x filter={name}\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    project.write("a.py", "x = 3\n")
    touch = f"touch {pwned}; false"
    settings = {
        "diff.x.textconv": f"touch {pwned}; cat",
        "core.fsmonitor": touch,
        "diff.external": touch,
        "log.showSignature": "true",
        "core.pager": touch,
        f"filter.{name}.clean": f"echo filtered; touch {pwned}; cat",
        f"filter.{name}.required": "true",
    }
    for key, value in settings.items():
        git(project, "config", key, value)
    hook = project.root / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {pwned}\n")
    hook.chmod(0o755)
    before = snapshot(project.root)
    commands = (
        "git status --short",
        "git diff",
        "git log -p",
        "git show HEAD",
        "git blame a.py",
        "git grep -n x",
    )
    ran = run_commands(project, *commands, HOLDFAST_SANDBOX=kind)
    printed = outputs(ran)
    assert (ran.code, tuple(printed)) == (0, commands)
    assert printed["git status --short"] == " M a.py"
    assert "+x = 3" in printed["git diff"]
    assert "filtered" not in printed["git diff"]
    assert "+x = 1" in printed["git show HEAD"]
    assert not pwned.exists()
    assert snapshot(project.root) == before
    # The same repository does run them where nothing keeps it from that.
    subprocess.run(["git", "-C", str(project.root), "diff"], check=False, capture_output=True)
    assert pwned.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_no_form_of_output_shows_a_secret(project: Project, kind: str) -> None:
    project.write(".env", f"KEY={SECRET}\n")
    (project.root / "other.txt").hardlink_to(project.root / ".env")
    token = "ghp_" + "a1B2" * 9
    project.write("settings.py", f"TOKEN = '{token}'\n")
    commands = (
        "grep -rn KEY .",
        "grep -rh KEY .",
        "cat a.py other.txt",
        "wc -l other.txt",
        "git grep -h KEY",
        "cat settings.py",
    )
    ran = run_commands(project, *commands, HOLDFAST_SANDBOX=kind)
    assert (ran.code, tuple(outputs(ran))) == (0, commands)
    assert outputs(ran)["cat settings.py"] == "TOKEN = '[token removed]'"
    assert SECRET not in ran.out
    assert token not in ran.out


def test_a_token_is_not_shown_in_part_where_an_output_is_cut(project: Project) -> None:
    token = "ghp_" + "a1B2" * 9
    key = "".join(f"{number:064}\n" for number in range(150))
    block = f"-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----\n"
    project.write("log.txt", f"{'x' * 7_987} {token}\n{'y' * 20_000}\n{block}end\n")
    ran = run_commands(project, "cat log.txt")
    assert "bytes left out" in outputs(ran)["cat log.txt"]
    assert outputs(ran)["cat log.txt"].endswith("[token removed]\nend")
    assert [part for part in ("ghp_", "0" * 30) if part in ran.out] == []


@pytest.mark.parametrize("kind", KINDS)
def test_only_git_sees_the_directory_of_git(project: Project, kind: str) -> None:
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    inner = project.root / "inner"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    for place in (project.root, inner):
        settings = ["config", "http.extraheader", f"Authorization: {SECRET}"]
        subprocess.run(["git", "-C", str(place), *settings], check=True)
    project.write(".git/rebase-merge/patch", f"x = {SECRET}\n")
    commands = (
        "grep -rn hunter2 .",
        "grep -ra hunter2",
        "git log --oneline --format=%s",
        "grep -rnE 'x|y' ./",
    )
    ran = run_commands(project, *commands, HOLDFAST_SANDBOX=kind)
    printed = outputs(ran)
    assert (ran.code, asked(ran)) == (0, [])
    assert printed == {
        commands[0]: "",
        commands[1]: "",
        commands[2]: "one",
        commands[3]: "./a.py:1:x = 1\n./a.py:2:y = 2",
    }
    assert SECRET not in ran.out


@pytest.mark.parametrize("kind", KINDS)
def test_a_difference_of_folders_follows_no_link(project: Project, kind: str) -> None:
    outside = project.place / "outside.txt"
    outside.write_text(f"{SECRET}\n")
    for folder in ("one", "two"):
        project.write(f"{folder}/same.txt", "same\n")
    (project.root / "one/link").symlink_to(outside)
    (project.root / "two/link").symlink_to("same.txt")
    ran = run_commands(project, "diff -u one two", HOLDFAST_SANDBOX=kind)
    assert (ran.code, asked(ran)) == (0, [])
    assert outputs(ran) == {"diff -u one two": "Symbolic links one/link and two/link differ"}
    assert SECRET not in ran.out


@pytest.mark.parametrize(
    "command",
    [
        "git diff {commit}..HEAD",
        "git diff ^{commit} HEAD",
        "git diff HEAD:a.py..{blob}",
        "git show '{commit}^{{/fix: add}}'",
        "git log -p -1 '{commit}^{{/fix: add}}'",
        "git show abcd",
        "git show -U {commit}",
        "git diff --unified {commit}",
        "git blame -- a.py {commit}",
        "git grep -- KEY {commit}",
    ],
)
def test_an_object_that_no_reference_reaches_is_asked_for(
    quick_project: Project, command: str
) -> None:
    project = quick_project
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    project.write(".env", f"KEY={SECRET}\n")
    git(project, "add", "-f", ".env")
    git(project, "commit", "-qm", "fix: add")
    commit, blob = read_git(project, "rev-parse", "HEAD", "HEAD:.env")
    git(project, "reset", "-q", "--hard", "HEAD~1")
    git(project, "reflog", "expire", "--expire=now", "--all")
    line = command.format(commit=commit, blob=blob)
    ran = run_commands(project, line)
    [(subject, why)] = asked(ran)
    assert (ran.code, subject) == (3, line)
    assert why in {
        "git may print an object that no branch, tag or reflog reaches",
        "it is not known what git reads for abcd",
    }
    assert SECRET not in ran.out


@pytest.mark.parametrize(
    "command",
    [
        "git show secret",
        "git cat-file -p secret",
        "git tag --format='%(raw)'",
        "git for-each-ref --format='%(*raw)'",
        "git branch --sort=raw",
        "git describe --always --dirty",
    ],
)
def test_git_that_may_print_content_without_a_name_is_asked_for(
    quick_project: Project, command: str
) -> None:
    project = quick_project
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    project.write("x", f"KEY={SECRET}\n")
    [blob] = read_git(project, "hash-object", "-w", "x")
    git(project, "tag", "secret", blob)
    ran = run_commands(project, command)
    assert (ran.code, [subject for subject, _ in asked(ran)]) == (3, [command])
    assert SECRET not in ran.out


def test_a_filter_whose_name_cannot_be_switched_off_is_asked_for(quick_project: Project) -> None:
    project = quick_project
    ran_filter = project.place / "ran"
    project.write(".gitattributes", "*.py filter=a=b\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    git(project, "config", "filter.a=b.clean", f"touch {ran_filter}; cat")
    project.write("a.py", "x = 3\n")
    ran = run_commands(project, "git diff")
    why = "a filter of the repository has a name with `=`, so it may run"
    assert (ran.code, asked(ran)) == (3, [("git diff", why)])
    assert not ran_filter.exists()


def read_git(project: Project, *words: str) -> list[str]:
    done = subprocess.run(
        ["git", "-C", str(project.root), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.split()


def test_common_reads_run_unasked(project: Project) -> None:
    project.write("src/b.py", "class B:\n    pass\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    commands = (
        'grep -rnE "class|def" src/',
        "ls src/.",
        "git reflog -5",
        "git check-ignore -v a.py",
        "python3 --version",
        "git diff HEAD -- gone.py",
        "git log -p -- gone.py",
        "git show HEAD:a.py",
        "git grep -n class HEAD -- '*.py'",
    )
    ran = run_commands(project, *commands)
    assert (ran.code, asked(ran), tuple(outputs(ran))) == (0, [], commands)
    assert outputs(ran)[commands[0]] == "src/b.py:1:class B:"
    assert outputs(ran)["git show HEAD:a.py"] == "x = 1\ny = 2"


@pytest.mark.parametrize(
    "command",
    [
        "git diff -U HEAD~1",
        "git diff --unified HEAD~1",
        "git grep -- KEY HEAD~1",
        "git grep KEY -A HEAD~1 -- .",
        "git grep KEY -e HEAD~1 -- .",
    ],
)
def test_a_word_that_git_reads_as_a_revision_is_judged_as_one(
    quick_project: Project, command: str
) -> None:
    project = quick_project
    project.write(".env", f"KEY={SECRET}\n")
    git(project, "add", "-f", ".")
    git(project, "commit", "-qm", "one")
    git(project, "rm", "-q", ".env")
    git(project, "commit", "-qm", "two")
    # Git takes a word behind the first operand for a revision, also with a dash.
    for name in ("-A", "-e"):
        git(project, "update-ref", f"refs/tags/{name}", "HEAD")
    ran = run_commands(project, command)
    [(subject, why)] = asked(ran)
    assert (ran.code, subject) == (3, command)
    assert why == "git may print .env, which may hold secrets"
    assert SECRET not in ran.out


@pytest.mark.parametrize(
    "command",
    ["git grep -h KEY", "git show HEAD", "git show HEAD:.env"],
)
def test_git_that_prints_files_is_asked_for_where_a_secret_is_tracked(
    project: Project, command: str
) -> None:
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    project.write(".env", f"KEY={SECRET}\n")
    git(project, "add", "-f", ".env")
    git(project, "commit", "-qm", "two")
    ran = run_commands(project, command)
    [(subject, why)] = asked(ran)
    assert (ran.code, subject) == (3, command)
    assert why in {"git may print .env, which may hold secrets", "HEAD:.env may hold secrets"}
    assert SECRET not in ran.out


@pytest.mark.parametrize("kind", KINDS)
def test_with_auto_a_secret_is_not_read_either(project: Project, kind: str) -> None:
    project.write(".env", f"KEY={SECRET}\n")
    ran = run_commands(
        project, "cat .env", "cat ./.env | cat", words=("--approve", "auto"), HOLDFAST_SANDBOX=kind
    )
    assert ran.code == 0
    assert SECRET not in ran.out


def test_more_secrets_than_can_be_masked_are_not_read_by_any_name(project: Project) -> None:
    for number in range(401):
        project.write(f"certs/{number:04}.key", "k")
    project.write("web/.env", f"KEY={SECRET}\n")
    (project.root / "web/notes.txt").hardlink_to(project.root / "web/.env")
    gap = "files with secrets in the project can be read: the project has more than 400 of them"
    script = [
        call("read_file", path="web/notes.txt"),
        call("search", pattern="KEY"),
        call("run_command", command="cat web/.env"),
        call("run_command", command="grep -r KEY web"),
    ]
    with ScriptedServer([*script, say("Done.")]) as server:
        ran = project.run("Look around.", "--approve", "auto", server=server)
    assert (ran.code, outputs(ran)) == (3, {})
    assert asked(ran) == [("grep -r KEY web", gap)]
    assert SECRET not in ran.out

    accepted = ("grep -r KEY web", "echo web/*; cat web/notes.txt")
    ran = run_commands(project, *accepted, words=("--approve", "auto"), HOLDFAST_WEAK_SANDBOX="run")
    assert (ran.code, tuple(outputs(ran))) == (0, accepted)
    assert SECRET not in ran.out


def test_with_landlock_a_command_that_moves_a_secret_first_shows_no_value_of_it(
    project: Project,
) -> None:
    project.write(".env", f"KEY={SECRET}\n")
    project.variables = {"HOLDFAST_SANDBOX": "landlock", "HOLDFAST_WEAK_SANDBOX": "run"}
    command = "for f in .e*; do mv $f moved; done; cat moved"
    with ScriptedServer([call("run_command", command=command), say("Done.")]) as server:
        ran = project.run("Go.", "--approve", "auto", server=server)
    assert outputs(ran) == {command: "KEY=[token removed]"}
    # What the command changed is on record for the undo, and for the person.
    assert [SECRET in str(request.raw) for request in server.requests] == [False, False]


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_a_link_calls_one_with_secrets_is_not_read(
    project: Project, kind: str
) -> None:
    project.write("keys/mine", f"{SECRET}\n")
    (project.root / ".ssh").symlink_to("keys")
    script = [
        call("run_command", command="cat keys/mine"),
        call("run_command", command="grep -r hunter2 ."),
        call("search", pattern="hunter2"),
        call("read_file", path="keys/mine"),
    ]
    with ScriptedServer([*script, say("Done.")]) as server:
        ran = project.run("Look around.", server=server, HOLDFAST_SANDBOX=kind)
    assert (ran.code, tuple(outputs(ran))) == (3, ("cat keys/mine", "grep -r hunter2 ."))
    assert asked(ran) == [("keys/mine", "it looks like a file with passwords or keys")]
    assert SECRET not in ran.out


@pytest.mark.parametrize("kind", KINDS)
def test_with_auto_git_shows_no_secret_that_it_has(project: Project, kind: str) -> None:
    project.write(".env", f"KEY={SECRET}\n")
    git(project, "add", "-f", ".")
    git(project, "commit", "-qm", "one")
    git(project, "rm", "-q", ".env")
    git(project, "commit", "-qm", "two")
    commands = ("git show HEAD~1:.env", "git log -p", "git tag one && git log --oneline")
    project.variables = {"HOLDFAST_SANDBOX": kind, "HOLDFAST_WEAK_SANDBOX": "run"}
    ran = run_commands(project, *commands, words=("--approve", "auto"))
    assert (ran.code, tuple(outputs(ran))) == (0, commands[1:])
    assert "KEY=[token removed]" in outputs(ran)["git log -p"]
    assert SECRET not in ran.out


def test_with_auto_no_command_changes_the_form_of_a_secret_that_git_has(project: Project) -> None:
    project.write(".env", f"KEY={SECRET}\n")
    git(project, "add", "-f", ".")
    git(project, "commit", "-qm", "one")
    git(project, "rm", "-q", ".env")
    git(project, "commit", "-qm", "two")
    of_git = (
        "git log -p | rev",
        "git cat-file --batch-all-objects --batch | rev",
        "git fast-export --all | rev",
        "git archive -o all.tar HEAD~1",
        "git grep -oh . HEAD~1",
        "git -c alias.x='!git log -p | rev' x",
    )
    read = (
        "import glob, zlib; "
        "print([zlib.decompress(open(p, 'rb').read())[::-1] for p in glob.glob('.git/objects/??/*')])"
    )
    plain = f'python3 -c "{read}"'
    commands = (*of_git[:3], plain, *of_git[3:], "git status -s")
    ran = run_commands(project, *commands, words=("--approve", "auto"))
    assert ran.code == 0
    assert outputs(ran) == {plain: "[]", "git status -s": ""}
    assert SECRET[::-1] not in ran.out
    assert not (project.root / "all.tar").exists()


def test_with_auto_no_command_but_git_reads_what_git_keeps_beside_its_objects(
    project: Project,
) -> None:
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    project.write(".git/git-crypt/keys/default", f"{SECRET}\n")
    ran = run_commands(
        project, "cat .git/git-crypt/keys/* | rev", words=("--approve", "auto"), **BUBBLEWRAP
    )
    assert (ran.code, SECRET[::-1] in ran.out) == (0, False)

    project.write(".env", f"KEY={SECRET}\n")
    git(project, "add", "-f", ".")
    git(project, "commit", "-qm", "two")
    for place in ("rebase-merge/patch", "lfs/objects/aa/bb/aabb"):
        project.write(f".git/{place}", f"{SECRET}\n")
    ran = run_commands(
        project, "cat $(find .git -type f) | rev", words=("--approve", "auto"), **BUBBLEWRAP
    )
    assert (ran.code, SECRET[::-1] in ran.out) == (0, False)
    assert "niam/sdaeh/sfer :fer" in ran.out or "retsam/sdaeh/sfer :fer" in ran.out


def test_landlock_lets_git_read_a_project_that_has_a_file_with_secrets(project: Project) -> None:
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    project.write("sub/.env", f"KEY={SECRET}\n")
    project.write(".env", f"KEY={SECRET}\n")
    ran = run_commands(project, "git status -s", HOLDFAST_SANDBOX="landlock")
    assert (ran.code, asked(ran)) == (0, [])
    assert outputs(ran) == {"git status -s": "?? .env\n?? sub/"}


def test_with_auto_no_command_runs_where_no_sandbox_works(project: Project) -> None:
    # What a start of bubblewrap has shown is on record for this machine.
    record = {"key": probe._key(probe._programs(project.root)), "found": {"problem": "broken."}}
    folder = project.state / "sandbox"
    folder.mkdir(parents=True)
    (folder / "found.json").write_text(json.dumps(record))
    ran = run_commands(project, "touch made", "ls", words=("--approve", "auto"))
    assert ran.err.startswith(
        "holdfast: no command runs without approval, because there is no sandbox: broken."
    ), ran.err
    assert (ran.events[0]["sandbox"], outputs(ran)) == ("none", {})
    assert not (project.root / "made").exists()
    told = [event["text"] for event in ran.events if event["kind"] == "call_ended"]
    assert told[0] == (
        "touch made: no sandbox works here and nobody is there to allow this; the user can, by "
        "--sandbox off."
    )


def test_with_auto_a_command_writes_in_the_project_and_nowhere_else(project: Project) -> None:
    outside = project.place / "outside.txt"
    commands = (
        "echo 1 >inside.txt",
        f"echo 1 >{outside}",
        "echo 1 >.git/hooks/pre-commit",
        "mkdir -p .holdfast && echo >.holdfast/config.toml",
        "git add a.py",
    )
    ran = run_commands(
        project, *commands, words=("--approve", "auto"), HOLDFAST_SANDBOX="bubblewrap"
    )
    assert ran.code == 0
    assert (project.root / "inside.txt").exists()
    made = [outside, project.root / ".git/hooks/pre-commit", project.root / ".holdfast"]
    assert [path for path in made if path.exists()] == []
    status = subprocess.run(
        ["git", "-C", str(project.root), "status", "--short", "a.py"],
        check=True,
        capture_output=True,
    )
    assert status.stdout == b"A  a.py\n"


def test_without_a_sandbox_nothing_runs_unasked(project: Project) -> None:
    ran = run_commands(project, "ls", HOLDFAST_SANDBOX="off")
    [event] = [event for event in ran.events if event["kind"] == "approval_asked"]
    assert (ran.code, event["subject"]) == (3, "ls")
    assert event["why"].startswith("no sandbox protects here: all files of the user can be read")


def test_a_program_of_the_project_is_not_taken_for_one_that_reads(project: Project) -> None:
    own = project.write("bin/ls", f"#!/bin/sh\necho {SECRET}\n")
    own.chmod(0o755)
    path = f"{project.root}/bin:{os.environ['PATH']}"
    ran = run_commands(project, "ls", PATH=path)
    assert (ran.code, outputs(ran)) == (0, {"ls": "a.py\nbin"})


def test_a_program_of_the_project_is_not_taken_for_the_git_or_ripgrep_of_holdfast(
    project: Project,
) -> None:
    pwned = project.place / "pwned"
    for name in ("git", "rg", "git-lfs"):
        own = project.write(f"bin/{name}", f"#!/bin/sh\ntouch {pwned}\n")
        own.chmod(0o755)
    project.write(".gitattributes", "*.py filter=lfs\n")
    (project.home / ".gitconfig").write_text(
        '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n'
    )
    script = [
        call("search", pattern="x"),
        call("run_command", command="git status --short"),
        call("run_command", command="git diff"),
        say("Done."),
    ]
    with ScriptedServer(script) as server:
        ran = project.run("Look.", server=server, PATH=f"{project.root}/bin:.:{os.environ['PATH']}")
    assert (ran.code, list(outputs(ran))) == (0, ["git status --short", "git diff"])
    assert not pwned.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("run", "hi"),
        ("checkpoint", "create"),
        ("apply", "x.json"),
        ("repair", "a.py", "--no-model"),
    ],
)
def test_a_repository_whose_files_are_elsewhere_is_refused_by_every_command(
    project: Project, words: tuple[str, ...]
) -> None:
    neighbour = project.place / "neighbour"
    neighbour.mkdir()
    (neighbour / "n.txt").write_text("mine\n")
    # On one line, as git reads it too.
    config = project.root / ".git/config"
    config.write_text(config.read_text() + "[CORE] WorkTree = ../../neighbour\n")
    done = project.holdfast(*words)
    assert done.code == 2
    assert (
        f"{project.root}: core.worktree in its git settings leads to {neighbour}, which is not this "
        "project; remove it with `git config --unset core.worktree`." in done.err
    )
    assert (neighbour / "n.txt").read_text() == "mine\n"

"""`holdfast changes`, as a person and as a program see it."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from tests.cli.project import Project, Ran, block

pytestmark = pytest.mark.integration

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
TWENTY = "".join(f"line {number}\n" for number in range(1, 21))
SUMMARY = [
    "id",
    "seq",
    "state",
    "origin",
    "created_at",
    "settled_at",
    "session",
    "turn",
    "part_of",
    "worktree",
    "files",
]


def changes(project: Project, *words: str, reply: str = "") -> Ran:
    return project.run("changes", words[0], "--root", str(project.root), *words[1:], reply=reply)


def propose(project: Project, reply: str) -> str:
    ran = changes(project, "propose", "--json", reply=reply)
    assert ran.code == 0, ran
    return str(ran.told["id"])


def listed(project: Project) -> list[tuple[str, str]]:
    return [
        (change["id"], change["state"])
        for change in changes(project, "list", "--json").told["changes"]
    ]


def test_a_proposal_says_its_id_and_writes_nothing(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    ran = changes(project, "propose", reply=DIFF)
    ((change_id, state),) = listed(project)
    assert (ran.code, state) == (0, "proposed")
    assert ran.out == (
        f"would be edited a.py\n{DIFF}proposed as change {change_id}; no file was changed.\n"
        f"To apply it: holdfast changes apply {change_id}\n"
    )
    assert project.files() == {"a.py": b"x = 1\n"}


def test_json_of_a_proposal(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    answer = changes(project, "propose", "--json", reply=DIFF).told
    assert answer == {
        "outcome": "proposed",
        "id": answer["id"],
        "files": [
            {"path": "a.py", "action": "edit", "rung": "exact", "similarity": 1.0, "diff": DIFF}
        ],
        "refusals": [],
    }


def test_propose_takes_what_apply_takes(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    assert changes(project, "propose", reply=f"```diff\n{DIFF}```\n").code == 1
    assert changes(project, "propose", "--format", "json", reply=DIFF).code == 1
    assert changes(project, "propose", "--unwrap", reply=f"```diff\n{DIFF}```\n").code == 0
    assert changes(project, "propose", reply=" \n").code == 2


def test_a_refused_proposal_is_reported_as_by_apply(project: Project) -> None:
    project.write("a.py", b"y = 1\n")
    ran = changes(project, "propose", "--json", reply=block("a.py", "x = 1", "x = 2"))
    assert (ran.code, ran.told["outcome"], ran.told["refusals"][0]["reason"]) == (
        1,
        "refused",
        "not_found",
    )
    assert listed(project) == []


def test_apply_writes_and_rewind_takes_back(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    change_id = propose(project, DIFF)
    ran = changes(project, "apply", change_id, "--json")
    assert (ran.code, ran.told) == (
        0,
        {
            "outcome": "applied",
            "id": change_id,
            "files": [
                {"path": "a.py", "action": "edit", "rung": "exact", "similarity": 1.0, "diff": DIFF}
            ],
            "refusals": [],
            "seq": 4,
            "rest": None,
        },
    )
    assert project.files() == {"a.py": b"x = 2\n"}
    ran = changes(project, "rewind", change_id[:6], "--json")
    assert (ran.code, ran.told) == (
        0,
        {
            "outcome": "rewound",
            "id": change_id,
            "files": [{"path": "a.py", "action": "restored"}],
            "refusals": [],
            "seq": 5,
        },
    )
    assert project.files() == {"a.py": b"x = 1\n"}
    assert listed(project) == [(change_id, "rewound")]


def test_the_words_for_a_person(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    change_id = propose(project, DIFF)
    assert changes(project, "apply", change_id).out == f"edited a.py\n{DIFF}"
    assert changes(project, "rewind", change_id).out == "restored a.py\n"
    other = propose(project, DIFF)
    assert (
        changes(project, "reject", other).out == f"rejected change {other}; no file was changed.\n"
    )
    lines = changes(project, "list").out.splitlines()
    assert [line.split()[:2] for line in lines] == [[other, "rejected"], [change_id, "rewound"]]
    assert all(line.endswith("  a.py") for line in lines)


def test_apply_is_on_record_too(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    project.apply(DIFF)
    (change,) = changes(project, "list", "--json").told["changes"]
    assert list(change) == SUMMARY
    assert (change["state"], change["origin"], change["seq"]) == ("applied", "apply", 1)
    assert change["files"] == [{"path": "a.py", "action": "edit"}]
    project.undo()
    assert listed(project) == [(change["id"], "rewound")]


def test_show_has_the_hash_of_the_file_and_the_hunks(project: Project) -> None:
    project.write("a.py", TWENTY.encode())
    edited = TWENTY.replace("line 1\n", "LINE 1\n").replace("line 20", "LINE 20")
    change_id = propose(project, json.dumps({"path": "a.py", "content": edited}))
    answer = changes(project, "show", change_id, "--json").told
    assert list(answer) == [*SUMMARY, "hunks"]
    assert answer["files"][0]["base"] == sha256(TWENTY.encode()).hexdigest()
    assert [(hunk["number"], hunk["path"]) for hunk in answer["hunks"]] == [
        (1, "a.py"),
        (2, "a.py"),
    ]
    ran = changes(project, "show", change_id)
    assert ran.out.startswith(f"change {change_id}: proposed (proposal, ")
    assert "\nedited a.py\nhunk 1 of a.py\n@@ -1,4 +1,4 @@\n-line 1\n+LINE 1\n" in ran.out


def test_some_hunks_are_applied(project: Project) -> None:
    project.write("a.py", TWENTY.encode())
    edited = TWENTY.replace("line 1\n", "LINE 1\n").replace("line 20", "LINE 20")
    change_id = propose(project, json.dumps({"path": "a.py", "content": edited}))
    ran = changes(project, "apply", change_id, "--hunks", "2", "--json")
    assert ran.code == 0
    assert project.files() == {"a.py": TWENTY.replace("line 20", "LINE 20").encode()}
    assert dict(listed(project)) == {
        ran.told["id"]: "applied",
        ran.told["rest"]: "proposed",
        change_id: "rejected",
    }
    assert changes(project, "apply", ran.told["rest"]).code == 0
    assert project.files() == {"a.py": edited.encode()}


@pytest.mark.parametrize("word", ["show", "apply", "reject", "rewind"])
def test_an_unknown_id_is_refused_with_the_nearest(project: Project, word: str) -> None:
    project.write("a.py", b"x = 1\n")
    change_id = propose(project, DIFF)
    ran = changes(project, word, "zzzz", "--json")
    assert (ran.code, ran.told["outcome"]) == (1, "refused")
    assert ran.told["refusals"] == [
        {
            "path": "",
            "reason": "not_found",
            "message": f"zzzz: there is no such change; the nearest is {change_id}; list them to see all.",
            "closest": change_id,
            "candidates": [],
        }
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rewind"], "is proposed; only an applied change can become rewound."),
        (["apply", "--hunks", "2"], "has no hunk 2; its hunks are 1 to 1."),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    project: Project, words: list[str], message: str
) -> None:
    project.write("a.py", b"x = 1\n")
    change_id = propose(project, DIFF)
    ran = changes(project, *words, change_id)
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "No file was changed.")
    assert message in ran.out


def test_a_list_where_nothing_was_done_makes_no_state_directory(project: Project) -> None:
    assert changes(project, "list").out == "no changes in this project.\n"
    assert changes(project, "list", "--json").told == {"changes": []}
    assert not project.state.exists()


def test_a_list_can_be_cut_short(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    first, second = propose(project, DIFF), propose(project, block("a.py", "x = 2", "x = 3"))
    assert [
        change["id"] for change in changes(project, "list", "-n", "1", "--json").told["changes"]
    ] == [second]
    assert [name for name, _ in listed(project)] == [second, first]


def test_a_list_of_those_in_a_state_or_of_a_turn(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    first, second = propose(project, DIFF), propose(project, block("a.py", "x = 2", "x = 3"))
    changes(project, "reject", second)
    answer = changes(project, "list", "--state", "proposed", "--json").told["changes"]
    assert [(each["id"], each["session"], each["turn"], each["part_of"]) for each in answer] == [
        (first, None, None, None)
    ]
    assert changes(project, "list", "--turn", "none", "--json").told == {"changes": []}
    assert changes(project, "list", "--session", "none", "--json").told == {"changes": []}


def test_prune_forgets_what_is_settled_and_touches_no_file(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    project.apply(DIFF)
    waits = propose(project, block("a.py", "x = 2", "x = 3"))
    before = project.files()
    applied = listed(project)[1][0]
    assert (
        changes(project, "prune").out
        == "removed 0 changes from the record; 2 changes left. No file was touched.\n"
    )
    ran = changes(project, "prune", "--keep", "0", "--json")
    assert (ran.code, ran.told) == (0, {"removed": [applied], "left": 1})
    assert (listed(project), project.files()) == ([(waits, "proposed")], before)
    assert project.undo().code == 1


@pytest.mark.parametrize(
    "words",
    [
        ["changes", "list", "--root", "/no/such/directory"],
        ["changes", "list", "-n", "0"],
        ["changes", "show"],
        ["changes", "apply", "abc", "--hunks", "one"],
        ["changes", "apply", "abc", "--hunks", "1,"],
        ["changes", "apply", "abc", "--hunks", ""],
        ["changes", "reject", "a", "b"],
        ["changes", "nonsense"],
        ["changes", "list", "--state", "nonsense"],
        ["changes", "prune", "--keep", "-1"],
    ],
)
def test_wrong_usage_is_exit_code_2(project: Project, words: list[str]) -> None:
    ran = project.run(*words)
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize(
    "words",
    [["apply"], ["undo"], ["changes", "list"], ["changes", "propose"], ["changes", "show", "x"]],
)
@pytest.mark.parametrize("url", ["nonsense://x/y", "/proc/nowhere/holdfast.sqlite3"])
def test_a_database_that_cannot_be_opened_is_said_and_nothing_changes(
    project: Project, monkeypatch: pytest.MonkeyPatch, words: list[str], url: str
) -> None:
    project.write("a.py", b"x = 1\n")
    project.apply(block("a.py", "x = 1", "x = 1  # one"))
    before = project.files()
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", url)
    reply = '{"path": "b.py", "content": "new"}'
    ran = project.run(*words, "--root", str(project.root), "--json", reply=reply)
    assert (ran.code, ran.told["outcome"]) == (1, "refused")
    assert "HOLDFAST" in ran.told["refusals"][0]["message"]
    assert project.files() == before


def test_a_check_needs_no_database(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("a.py", b"x = 1\n")
    project.apply(block("a.py", "x = 1", "x = 1  # one"))
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", "nonsense://x/y")
    assert project.apply(block("a.py", "x = 1  # one", "x = 2"), "--check").code == 0

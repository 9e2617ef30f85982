from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.repair.builtin import builtin_rules
from holdfast.rules.rule import Status
from holdfast.rules.rule_yaml import dump_rule, parse_rule
from holdfast.rules.scope import scope_of
from tests.cli.project import Project, Ran
from tests.rules.complaint import learned, undefined

BUILTIN = next(rule for rule in builtin_rules() if rule.target == "c")
OWN = learned("pritn(1)\n", "print(1)\n", undefined("pritn"))


def _rules(project: Project, *words: str) -> Ran:
    return project.run("rules", *words, "--root", str(project.root))


def _with_own(project: Project) -> str:
    project.write(f".holdfast/rules/python/{OWN.id}.yaml", dump_rule(OWN))
    return OWN.id


def test_the_list_has_what_came_with_holdfast_and_the_project_s_own_which_nobody_has_looked_at(
    project: Project,
) -> None:
    _with_own(project)
    answer = _rules(project, "list", "--json").told
    assert len(answer["rules"]) == len(builtin_rules()) + 1
    unreviewed = _rules(project, "list", "--unreviewed", "--json").told["rules"]
    assert [(rule["id"], rule["status"], rule["reviewed"]) for rule in unreviewed] == [
        (OWN.id, "active", False)
    ]
    assert f"{OWN.id}  active" in _rules(project, "list", "--own").out


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("approve", "active"),
        ("reject", "rejected"),
        ("pin", "pinned"),
        ("unpin", "active"),
        ("demote", "demoted"),
    ],
)
def test_what_is_decided_about_a_rule_is_in_its_file(
    project: Project, verdict: str, status: str
) -> None:
    file = f".holdfast/rules/python/{_with_own(project)}.yaml"
    answer = _rules(project, verdict, OWN.id[:8], "--json").told["rule"]
    assert (answer["id"], answer["status"]) == (OWN.id, status)
    assert parse_rule(project.files()[file]).status == status


def test_an_approved_rule_is_reviewed_and_goes_first(project: Project) -> None:
    _with_own(project)
    answer = _rules(project, "approve", OWN.id, "--json").told["rule"]
    assert (answer["reviewed"], answer["approved"]) == (True, True)
    assert _rules(project, "list", "--unreviewed", "--json").told["rules"] == []


def test_a_builtin_rule_that_is_pinned_gets_a_file_of_the_project(project: Project) -> None:
    ran = _rules(project, "pin", BUILTIN.id)
    assert (ran.code, ran.out) == (0, f"{BUILTIN.id} is pinned, reviewed: {scope_of(BUILTIN)}.\n")
    assert list(project.files()) == [f".holdfast/rules/c/{BUILTIN.id}.yaml"]
    answer = _rules(project, "list", "--target", "c", "--json").told["rules"]
    assert [rule["status"] for rule in answer if rule["id"] == BUILTIN.id] == ["pinned"]


def test_show_says_what_a_rule_answers_and_does(project: Project) -> None:
    _with_own(project)
    out = _rules(project, "show", OWN.id).out
    assert "fixes: tool X1: undefined {0}" in out
    assert (
        "where the message names `pritn` ({0}), where no comment says what is meant, in Python"
        in out
    )
    assert "-pritn(1)\n+print(1)\n" in out
    assert (
        _rules(project, "show", OWN.id, "--json").told["rule"]["examples"][0]["after"]
        == "print(1)\n"
    )


def test_the_examples_of_all_rules_are_run(project: Project) -> None:
    ran = _rules(project, "test", "--json")
    assert (ran.code, ran.told["failures"], ran.told["problems"]) == (0, [], [])
    assert ran.told["examples"] >= len(builtin_rules())


def test_an_example_that_does_not_come_out_fails(project: Project) -> None:
    data = dump_rule(OWN).replace(b"    print(1)", b"    other(1)")
    project.write(f".holdfast/rules/python/{OWN.id}.yaml", data)
    ran = _rules(project, "test", OWN.id)
    assert (ran.code, ran.out) == (
        1,
        f"python/{OWN.id}: example 1 fails.\n1 rules, 1 examples, 1 failed.\n",
    )


def test_a_rule_that_is_not_there_and_one_that_is_not_clear_are_refused_with_the_next_step(
    project: Project,
) -> None:
    ran = _rules(project, "show", "zz")
    assert (ran.code, ran.err) == (
        1,
        "holdfast: zz: there is no such rule; `holdfast rules list` shows all.\n",
    )
    answer = _rules(project, "pin", "nothing", "--json")
    assert (answer.code, answer.told["outcome"]) == (1, "refused")


def test_a_file_that_is_no_rule_is_reported_and_fails_the_test(project: Project) -> None:
    project.write(".holdfast/rules/python/abc.yaml", b"{")
    ran = _rules(project, "test")
    assert ran.code == 1
    assert "rules/python/abc.yaml: it is not YAML" in ran.err


def test_what_is_in_the_place_of_a_rule_is_reported_and_the_others_are_listed(
    project: Project,
) -> None:
    _with_own(project)
    (project.root / ".holdfast/rules/python/dir.yaml").mkdir()
    (project.root / ".holdfast/rules/python/link.yaml").symlink_to("/etc/passwd")
    ran = _rules(project, "list", "--own", "--json")
    assert (ran.code, [rule["id"] for rule in ran.told["rules"]]) == (0, [OWN.id])
    assert [each.partition(":")[0] for each in ran.told["problems"]] == [
        "rules/python/dir.yaml",
        "rules/python/link.yaml",
    ]


def test_a_rule_of_two_branches_in_conflict_is_named_and_not_called_missing(
    project: Project,
) -> None:
    sides = b"<<<<<<< HEAD\nid: abc\n=======\nid: abd\n>>>>>>> x\n"
    project.write(".holdfast/rules/python/abc.yaml", sides)
    ran = _rules(project, "list", "--own")
    problem = (
        "rules/python/abc.yaml: it has the markers of a git conflict; keep one of the two sides,"
        " or remove the file."
    )
    assert (ran.code, ran.out, ran.err) == (0, "", f"holdfast: {problem}\n")
    assert _rules(project, "list", "--own", "--json").told["problems"] == [problem]
    project.write(".holdfast/rules/python/abc.yaml", b"{")
    assert _rules(project, "list", "--own").out == ""
    (project.root / ".holdfast/rules/python/abc.yaml").unlink()
    assert _rules(project, "list", "--own").out == "There are no such rules.\n"


def test_rules_that_cannot_be_read_at_all_are_named_by_their_path(project: Project) -> None:
    project.write(".holdfast/rules", b"a file")
    ran = _rules(project, "list", "--json")
    where = project.root / ".holdfast/rules"
    problem = f"the rules cannot be read: {where}: Not a directory."
    assert (ran.code, ran.told) == (1, {"outcome": "refused", "problems": [problem]})


def test_a_rule_that_somebody_rejected_is_not_waiting_for_a_review(project: Project) -> None:
    _with_own(project)
    _rules(project, "reject", OWN.id)
    assert _rules(project, "list", "--unreviewed", "--json").told["rules"] == []
    assert (
        "unreviewed"
        not in _rules(project, "list", "--own").out + _rules(project, "show", OWN.id).out
    )


def test_a_root_that_is_no_directory_is_wrong_usage(project: Project) -> None:
    assert project.run("rules", "list", "--root", str(project.root / "none")).code == 2


HAND_WRITTEN = b"""\
language: c
diagnostic:
  tool: gcc
  message: "too few arguments to function {0}"
where:
  0: fgets
pattern: fgets($A, $B)
fix: fgets($A, $B, stdin)
examples:
  - message: "too few arguments to function 'fgets'"
    at: [2, 5]
    before: |
      void f(char *t) {
          fgets(t, 80);
      }
    after: |
      void f(char *t) {
          fgets(t, 80, stdin);
      }
"""


def test_a_rule_written_by_hand_is_tested_and_added_and_explained(project: Project) -> None:
    project.write("fgets.yaml", HAND_WRITTEN)
    added = _rules(project, "add", str(project.root / "fgets.yaml"), "--json").told["rule"]
    assert (added["provenance"], added["status"], added["reviewed"]) == ("manual", "active", True)
    assert added["scope"] == (
        "`fgets` called with two arguments `fgets($A, $B)`, where the message names `fgets` ({0}), in C"
    )
    out = _rules(project, "explain", added["id"]).out
    assert "to:   fgets($A, $B, stdin)" in out
    assert "A person has written it." in out


def test_a_rule_whose_example_does_not_come_out_is_not_added(project: Project) -> None:
    project.write("fgets.yaml", HAND_WRITTEN.replace(b"t, 80, stdin", b"t, 81, stdin"))
    ran = _rules(project, "add", str(project.root / "fgets.yaml"))
    assert (ran.code, ran.err.rpartition(": ")[2]) == (
        1,
        "the rule does not make what example 1 has.\n",
    )
    assert not (project.root / ".holdfast").exists()


def test_a_person_widens_a_rule(project: Project) -> None:
    _with_own(project)
    answer = _rules(project, "widen", OWN.id, "--json").told["rule"]
    assert (answer["widened"], answer["scope"]) == (True, "`pritn`, in Python")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            "proposed",
            f"A model suggested it; `holdfast rules approve {OWN.id}` lets it be applied.",
        ),
        ("active", "A model suggested it, and a person has judged it."),
    ],
)
def test_the_rule_of_a_model_is_explained_as_such(
    project: Project, status: Status, words: str
) -> None:
    suggested = replace(OWN, provenance="model", status=status)
    project.write(f".holdfast/rules/python/{OWN.id}.yaml", dump_rule(suggested))
    assert _rules(project, "explain", OWN.id).out.splitlines()[-1] == words


@pytest.mark.parametrize(
    ("verdict", "status", "approved"),
    [
        ("reject", "rejected", False),
        ("demote", "demoted", False),
        ("pin", "pinned", False),
        ("approve", "active", True),
    ],
)
def test_a_rule_that_is_added_again_keeps_its_review_and_the_command_says_so(
    project: Project, verdict: str, status: str, approved: bool
) -> None:
    project.write("fgets.yaml", HAND_WRITTEN + b"safe: false\n")
    file = str(project.root / "fgets.yaml")
    told = _rules(project, "add", file, "--json").told
    assert (told["rule"]["status"], told["review_kept"]) == ("active", False)
    rule = told["rule"]["id"]
    judged = _rules(project, verdict, rule, "--json").told["rule"]
    again = _rules(project, "add", file, "--json").told
    assert again == {"rule": judged, "review_kept": True}
    assert (judged["status"], judged.get("approved", False)) == (status, approved)
    out = _rules(project, "add", file).out
    assert out == f"{rule} is {status} (its review is kept): {judged['scope']}.\n"


def test_a_rule_that_is_added_again_with_a_status_of_its_own_gets_that_one(
    project: Project,
) -> None:
    project.write("fgets.yaml", HAND_WRITTEN)
    file = str(project.root / "fgets.yaml")
    rule = _rules(project, "add", file, "--json").told["rule"]["id"]
    _rules(project, "reject", rule)
    project.write("fgets.yaml", HAND_WRITTEN + b"status: pinned\n")
    told = _rules(project, "add", file, "--json").told
    assert (told["rule"]["status"], told["review_kept"]) == ("pinned", False)


def test_a_rule_is_not_added_over_a_file_that_cannot_be_read(project: Project) -> None:
    project.write("fgets.yaml", HAND_WRITTEN)
    file = str(project.root / "fgets.yaml")
    rule = _rules(project, "add", file, "--json").told["rule"]["id"]
    project.write(f".holdfast/rules/c/{rule}.yaml", b"{")
    ran = _rules(project, "add", file)
    problem = f".holdfast/rules/c/{rule}.yaml cannot be written: it is not YAML in line 2."
    assert (ran.code, ran.err.splitlines()[-1]) == (1, f"holdfast: {problem}")

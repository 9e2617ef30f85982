"""Decisions in a team: branches that merge, a gate that a pinned rule does not shut."""

from __future__ import annotations

import re
import subprocess
import time

import pytest

from tests.end_to_end.repair.workshop import Workshop, fix, need

pytestmark = pytest.mark.e2e

TWO = """\
#include <stdio.h>
#include <string.h>

int one(char *b) {
    return 1;
}




void two(char *d, const char *s) {
    strcpy(d, s);
}
"""
ASK = """\
#include <stdio.h>

int ask(void) {
    char line[80];
    return fgets(line, 80) != NULL;
}
"""


def git(workshop: Workshop, *words: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@x")
    command = ["git", "-C", str(workshop.root), *identity, *words]
    subprocess.run(command, check=True, capture_output=True)


def repair_on_branch(
    workshop: Workshop, branch: str, broken: str, fixed: str, reasoning: str = "a slip"
) -> None:
    git(workshop, "checkout", "-q", "-b", branch, "base")
    workshop.write("a.c", broken)
    ran = workshop.repair("a.c", script=[fix(fixed, reasoning=reasoning)])
    assert ran.outcomes == {"a.c": "Repaired"}, (ran.out, ran.err)
    git(workshop, "add", "-A")
    git(workshop, "commit", "-qm", branch)


def test_two_branches_that_repair_one_file_are_merged_by_git_alone(workshop: Workshop) -> None:
    need("gcc")
    git(workshop, "init", "-q", "-b", "base")
    workshop.write("a.c", TWO)
    git(workshop, "add", "-A")
    git(workshop, "commit", "-qm", "base")
    one = TWO.replace("1;", "fgets(b, 80) != NULL;")
    repair_on_branch(workshop, "x", one, one.replace("80)", "80, stdin)"))
    two = TWO.replace("strcpy(d, s)", "strncpy(d, s)")
    repair_on_branch(workshop, "y", two, two.replace("(d, s)", "(d, s, 8)"))
    git(workshop, "merge", "-q", "-m", "both", "x")
    listed = workshop.decisions("list").told
    assert (len(listed["decisions"]), listed["problems"]) == (2, [])
    assert workshop.decisions("gate").code == 4


def test_two_branches_that_learn_the_same_rule_are_merged_by_git_alone(workshop: Workshop) -> None:
    need("gcc")
    git(workshop, "init", "-q", "-b", "base")
    workshop.write("a.c", TWO)
    git(workshop, "add", "-A")
    git(workshop, "commit", "-qm", "base")
    for branch, old, new in (
        ("x", "return 1;", "return fgets(b, 80) != NULL;"),
        ("y", "strcpy(d, s);", "fgets(d, 99);"),
    ):
        broken = TWO.replace(old, new)
        repair_on_branch(workshop, branch, broken, re.sub(r"(fgets\(., ..)", r"\1, stdin", broken))
    git(workshop, "merge", "-q", "-m", "both", "x")
    listed = workshop.run("rules", "list", "--own", "--root", str(workshop.root), "--json").told
    assert ([rule["status"] for rule in listed["rules"]], listed["problems"]) == (
        ["active", "active"],
        [],
    )
    workshop.write("b.c", ASK)
    assert workshop.repair("b.c").outcomes == {"b.c": "RuleRepaired"}


def test_two_branches_with_the_same_repair_are_merged_by_git_alone(workshop: Workshop) -> None:
    need("gcc")
    git(workshop, "init", "-q", "-b", "base")
    workshop.write("a.c", TWO)
    git(workshop, "add", "-A")
    git(workshop, "commit", "-qm", "base")
    broken = TWO.replace("1;", "fgets(b, 80) != NULL;")
    for branch, reasoning in (("x", "a stream"), ("y", "a stream"), ("z", "it needs a stream")):
        # Another machine: it has no response of the model yet.
        workshop.state = workshop.state.with_name(branch)
        repair_on_branch(workshop, branch, broken, broken.replace("80)", "80, stdin)"), reasoning)
        # A record has no time that is finer.
        time.sleep(1.1)

    git(workshop, "merge", "-q", "-m", "other words", "x")
    [one, other] = workshop.decisions("list").told["decisions"]
    assert one["diff"] == other["diff"]
    assert workshop.decisions("gate").code == 4
    git(workshop, "checkout", "-q", "x")
    git(workshop, "merge", "-q", "-m", "the same", "y")
    listed = workshop.decisions("list").told
    assert (len(listed["decisions"]), listed["problems"]) == (1, [])
    assert workshop.decisions("pin", "--all").code == 0
    assert workshop.decisions("gate").code == 0
    workshop.write("a.c", broken)
    ran = workshop.repair("a.c", "--strictness", "production")
    assert ran.outcomes == {"a.c": "Replayed"}, (ran.out, ran.err)
    assert workshop.decisions("gate").code == 0


def test_what_a_pinned_rule_makes_does_not_shut_the_gate(workshop: Workshop) -> None:
    need("gcc")
    workshop.write("a.c", ASK)
    first = workshop.repair("a.c", script=[fix(ASK.replace("80)", "80, stdin)"))])
    rule = first.told["files"][0]["rule_added"]
    [made] = workshop.decisions("list").told["decisions"]
    assert made["rule_id"] == rule
    assert workshop.run("rules", "pin", rule, "--root", str(workshop.root)).code == 0
    assert workshop.decisions("pin", "--rule", rule).code == 0
    workshop.write("b.c", ASK.replace("line", "row"))
    ran = workshop.repair("b.c", "--strictness", "production")
    assert ran.outcomes == {"b.c": "RuleRepaired"}, (ran.out, ran.err)
    decisions = workshop.decisions("list").told["decisions"]
    [applied] = [each for each in decisions if each["decision_type"] == "rule_applied"]
    assert (applied["pinned"], applied["pinned_by"]) == (True, f"rule {rule}")
    assert isinstance(applied["confidence"], float)
    assert workshop.decisions("gate").code == 0

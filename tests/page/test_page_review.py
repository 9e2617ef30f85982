"""Rejections during a turn, one commit, merges with conflicts, decisions, and a slow line, in a real browser."""

from __future__ import annotations

import subprocess

from playwright.sync_api import Page, expect

from holdfast.repair.decisions.decision import Decision
from holdfast.testing import call, hang, say, slow
from holdfast.wiring.decisions import decisions_at
from tests.page.slow_line import SlowLine
from tests.page.stage import GIT, SOURCE, Gate, Stage, check_axe, screenshot, send
from tests.server.harness import TOKEN

TWO_HUNKS = SOURCE.replace("line_2 = 2\n", "line_2 = 22\n").replace(
    "line_35 = 35\n", "line_35 = 350\n"
)
COMMIT = "git add -A && git -c user.name=A -c user.email=a@example.invalid commit -qm"
DECISION = Decision(
    id="a1" + "0" * 14,
    module="a.py",
    path="a.py",
    target="python",
    decision_type="repair",
    choice="the model's proposal",
    timestamp="2026-01-01T00:00:00+00:00",
    diff="@@ -1 +1 @@\n-a\n+b\n",
)


def commit(stage: Stage, text: str) -> None:
    (stage.root / "a.py").write_text(text)
    subprocess.run([*GIT, "commit", "-qam", "more"], cwd=stage.root, check=True)


def agent_session(stage: Stage, *lines: str) -> str:
    """Return a session whose agent has done these things in a worktree."""
    session = stage.server.new_session(
        title="Agent", agent="scripted", place="worktree", mode="auto"
    )
    stage.server.turn(session, "\n".join(lines))
    return session


def merge(tab: Page, how: str) -> None:
    menu = tab.locator(".menu", has_text="Merge the worktree")
    if menu.get_attribute("open") is None:
        menu.locator("summary").press("Enter")
    menu.get_by_role("button", name=how).click()


def test_a_hunk_that_is_rejected_during_a_turn_waits_says_so_and_is_taken_out_at_its_end(
    stage: Stage,
) -> None:
    gate = Gate()
    stage.script.add(
        call("write_file", path="a.py", content=TWO_HUNKS),
        say("Written."),
        hang(gate.event, say("Later.")),
    )
    session = stage.server.new_session(title="Wait", mode="auto")
    stage.server.turn(session, "Write")
    tab = stage.open_session(session)
    send(tab, "And on")
    expect(tab.get_by_role("button", name="Stop")).to_be_visible()
    stage.go(tab, f"/s/{session}/changes")
    tab.get_by_label("Compare with").select_option(label="Applied: a.py")
    expect(tab.locator(".banner", has_text="waits for its end")).to_be_visible()
    tab.locator(".diff-hunk").last.get_by_role("button", name="Reject").click()
    tab.get_by_role("dialog").get_by_role("textbox").fill("35 stays")
    tab.get_by_role("dialog").get_by_role("button", name="Reject").click()
    waiting = tab.locator(".rejections li")
    expect(waiting).to_contain_text("Waits for the end of the turn")
    tab.reload()
    expect(waiting).to_contain_text("hunk 2 — 35 stays")
    check_axe(tab)
    screenshot(tab, "rejection-waits")
    assert (stage.root / "a.py").read_text() == TWO_HUNKS
    gate.open()
    expect(waiting).to_have_count(0)
    assert (stage.root / "a.py").read_text() == SOURCE.replace("line_2 = 2\n", "line_2 = 22\n")


def test_each_commit_of_an_agent_has_its_own_diff(stage: Stage) -> None:
    session = agent_session(
        stage,
        "write one.md first",
        f"run {COMMIT} 'Add one'",
        "write two.md second",
        f"run {COMMIT} 'Add two'",
        "write three.md third",
    )
    tab = stage.open_session(session, "changes")
    names = tab.locator(".changed-files .mono")
    expect(names).to_have_text(["one.md", "three.md", "two.md"])
    for title, name in (("Commit: Add two", "two.md"), ("Commit: Add one", "one.md")):
        tab.get_by_label("Compare with").select_option(label=title)
        expect(names).to_have_text([name])
        expect(tab.locator(".diff-added")).to_have_count(1)


def test_conflicts_of_a_merge_and_of_an_update_are_shown_and_change_nothing(stage: Stage) -> None:
    session = agent_session(stage, "write a.py mine", f"run {COMMIT} 'Mine'")
    commit(stage, "theirs\n")
    tab = stage.open_session(session, "changes")
    merge(tab, "Update from the project")
    conflicts = tab.locator(".conflicts")
    expect(conflicts).to_contain_text("a.py: changed in the worktree and in main;")
    check_axe(tab)
    screenshot(tab, "conflicts-light")
    merge(tab, "Merge as a proposed change")
    expect(conflicts).to_contain_text("changed in the project and in the worktree")
    assert (stage.root / "a.py").read_text() == "theirs\n"
    assert stage.server.get(f"/sessions/{session}/changes")["changes"][0]["state"] != "proposed"


def test_the_timeline_has_turns_restores_and_merges_and_the_gauge_its_window(stage: Stage) -> None:
    stage.script.add(
        call("edit_file", path="a.py", old="line_5 = 5", new="line_5 = 55"), say("Done.")
    )
    session = stage.server.new_session(title="Long", place="worktree", mode="auto")
    stage.server.turn(session, "Change line five")
    tab = stage.open_session(session)
    expect(tab.locator(".gauge")).to_contain_text("of 32.8K tokens")
    merge_tab = stage.open_session(session, "changes", context=tab.context)
    merge(merge_tab, "Merge as a proposed change")
    expect(merge_tab.locator(".toolbar .chip")).to_have_text("Proposed")
    (checkpoint,) = stage.server.get(f"/sessions/{session}/checkpoints")["checkpoints"]
    stage.server.post(
        f"/sessions/{session}/checkpoints/{checkpoint['id']}/restore", {"scope": "files"}
    )
    stage.go(tab, f"/s/{session}/timeline")
    chips = tab.locator(".timeline .chip")
    expect(chips).to_have_text(
        ["Restore", "Merged", "Proposed", "Turn ended", "Applied", "Turn", "Worktree made"]
    )
    screenshot(tab, "timeline-light")


def test_the_gauge_of_an_external_agent_is_what_the_agent_says(stage: Stage) -> None:
    session = stage.server.new_session(agent="scripted", place="in_place", mode="auto")
    stage.server.turn(session, "say Hello\nusage 10 20 1200 8000")
    tab = stage.open_session(session)
    expect(tab.locator(".gauge")).to_contain_text("1.2K of 8K tokens")
    expect(tab.locator(".gauge meter")).to_have_attribute("value", "1200")


def test_a_decision_is_pinned_with_a_reason_and_unpinned(stage: Stage) -> None:
    decisions_at(stage.root).record(DECISION)
    tab = stage.open("/decisions")
    tab.get_by_role("button", name="Pin").press("Enter")
    tab.get_by_role("dialog").get_by_role("textbox").fill("Seen and good")
    tab.get_by_role("dialog").get_by_role("button", name="Pin").click()
    expect(tab.locator(".decision .chip", has_text="Pinned")).to_contain_text("Seen and good")
    (listed,) = stage.server.get("/decisions")["decisions"]
    assert (listed["pinned"], listed["pin_reason"]) == (True, "Seen and good")
    check_axe(tab)
    tab.get_by_role("button", name="Unpin").press("Enter")
    expect(tab.get_by_role("button", name="Pin", exact=True)).to_be_visible()


def test_with_200_ms_of_latency_a_turn_streams_through_a_reload_and_a_lost_line_comes_back(
    stage: Stage,
) -> None:
    gate = Gate()
    stage.script.add(slow(say("Slow but whole."), gate.event))
    session = stage.server.new_session(title="Slow", mode="auto")
    with SlowLine(stage.server.port, seconds=0.2) as line:
        tab = stage.context().new_page()
        tab.goto(f"{line.url}/?token={TOKEN}#/p/{stage.server.project}/s/{session}")
        send(tab, "Hello")
        expect(tab.locator(".markdown")).to_contain_text("Slow")
        tab.reload()
        expect(tab.locator(".markdown")).to_contain_text("Slow")
        expect(tab.get_by_role("button", name="Stop")).to_be_visible()
        gate.open()
        expect(tab.locator(".markdown")).to_have_text("Slow but whole.")
        line.cut()
        expect(tab.get_by_role("alert")).to_contain_text("connection to the server is lost")
        stage.script.add(say("While you were away."))
        stage.server.turn(session, "And now?")
        line.mend()
        expect(tab.locator(".markdown")).to_have_text(["Slow but whole.", "While you were away."])
        expect(tab.locator(".prompt-text")).to_have_text(["Hello", "And now?"])

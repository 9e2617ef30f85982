"""Review, rewind, comparison and merge in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from holdfast.testing import call, say
from tests.page.stage import SOURCE, Stage, check_axe, screenshot

TWO_HUNKS = SOURCE.replace("line_2 = 2\n", "line_2 = 22\n").replace(
    "line_35 = 35\n", "line_35 = 350\n"
)


def proposed(stage: Stage) -> str:
    stage.script.add(call("write_file", path="a.py", content=TWO_HUNKS), say("Proposed."))
    session = stage.server.new_session(title="Review", mode="review")
    stage.server.turn(session, "Change two lines")
    return session


def test_a_hunk_is_accepted_and_the_other_rejected_with_a_reason(stage: Stage) -> None:
    session = proposed(stage)
    tab = stage.open_session(session, "changes")
    waits = tab.locator(".session-list", has=tab.get_by_role("heading", name="Waits for you"))
    expect(waits.locator(".session-item")).to_contain_text("1 change to review")
    expect(tab).to_have_title(re.compile(r"^\(1\) waits for you"))
    expect(tab.locator(".diff-hunk")).to_have_count(2)
    expect(tab.locator(".toolbar .chip")).to_have_text("Proposed")
    assert (stage.root / "a.py").read_text() == SOURCE
    tab.get_by_role("button", name="Side by side").click()
    expect(tab.locator(".diff-split").first).to_be_visible()
    check_axe(tab)
    screenshot(tab, "changes-light")
    tab.get_by_role("button", name="Unified").click()
    tab.locator(".diff-hunk").first.get_by_role("button", name="Accept").press("Enter")
    expect(tab.locator(".toast")).to_contain_text("Accepted")
    assert "line_2 = 22\n" in (stage.root / "a.py").read_text()
    assert "line_35 = 35\n" in (stage.root / "a.py").read_text()
    expect(tab.locator(".diff-hunk")).to_have_count(1)
    tab.locator(".diff-hunk").get_by_role("button", name="Reject").click()
    tab.get_by_role("dialog").get_by_role("textbox").fill("The number is wrong")
    tab.get_by_role("dialog").get_by_role("button", name="Reject").click()
    expect(tab.locator(".toolbar .chip")).to_have_text("Rejected")
    expect(waits).to_have_count(0)
    expect(tab).to_have_title(re.compile("^orchard"))
    states = {each["state"] for each in stage.server.get(f"/sessions/{session}/changes")["changes"]}
    assert states == {"applied", "rejected"}
    stage.script.add(say("I see."))
    stage.server.turn(session, "Go on")
    assert any("The number is wrong" in str(request.messages) for request in stage.model.requests)


def test_an_applied_change_is_rewound_and_the_session_is_compared(stage: Stage) -> None:
    stage.script.add(
        call("edit_file", path="a.py", old="line_5 = 5", new="line_5 = 55"), say("Done.")
    )
    session = stage.server.new_session(title="Rewind")
    stage.server.turn(session, "Change line five")
    tab = stage.open_session(session, "changes")
    expect(tab.locator(".diff-added")).to_contain_text("line_5 = 55")
    scope = tab.get_by_label("Compare with")
    scope.select_option(label="Since the last prompt")
    expect(tab.locator(".diff-added")).to_contain_text("line_5 = 55")
    scope.select_option(label="Applied: a.py")
    tab.get_by_role("button", name="Rewind").click()
    expect(tab.locator(".toolbar .chip")).to_have_text("Rewound")
    assert (stage.root / "a.py").read_text() == SOURCE


def test_an_agents_worktree_shows_its_plan_and_commit_and_is_merged(stage: Stage) -> None:
    session = stage.server.new_session(
        title="Agent", agent="scripted", place="worktree", mode="auto"
    )
    stage.server.turn(
        session,
        "plan Look; Write\nthink I think\nsay I write.\nwrite new.md # New\nrun git add -A && git -c user.name=A -c user.email=a@example.invalid commit -qm 'Add new.md'\nsay Written.",
    )
    tab = stage.open_session(session)
    expect(tab.locator(".plan")).to_contain_text("Look")
    expect(tab.locator(".card", has_text="new.md").first).to_contain_text("+1")
    stage.go(tab, f"/s/{session}/changes")
    expect(tab.locator(".diff-added").first).to_contain_text("# New")
    tab.locator(".menu summary", has_text="Merge the worktree").press("Enter")
    tab.get_by_role("button", name="Merge as a proposed change").click()
    expect(tab.locator(".toast").first).to_contain_text("proposed")
    assert not (stage.root / "new.md").exists()
    expect(tab.locator(".toolbar .chip")).to_have_text("Proposed")
    tab.get_by_role("button", name="Accept all").click()
    expect(tab.locator(".toolbar .chip")).to_have_text("Applied")
    assert (stage.root / "new.md").read_text().startswith("# New")


PATCH = """\
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
-line_1 = 1
+line_1 = 11
 line_2 = 2
--- a/b.py
+++ b/b.py
@@ -1,2 +1,2 @@
 def greet(name):
-    return 'Hello, ' + name
+    return 'Bye, ' + name
"""


def test_a_file_of_a_change_is_accepted_and_another_rejected(stage: Stage) -> None:
    stage.script.add(call("write_patch", diff=PATCH), say("Proposed."))
    session = stage.server.new_session(title="Two files", mode="review")
    stage.server.turn(session, "Change two files")
    greeting = (stage.root / "b.py").read_text()
    tab = stage.open_session(session, "changes")
    expect(tab.locator(".changed-files .mono")).to_have_text(["a.py", "b.py"])
    tab.get_by_role("button", name="Accept file").first.press("Enter")
    expect(tab.locator(".toast")).to_contain_text("Accepted")
    expect(tab.locator(".changed-files .mono")).to_have_text(["b.py"])
    tab.get_by_role("button", name="Reject file").press("Enter")
    tab.get_by_role("dialog").get_by_role("button", name="Reject").click()
    expect(tab.locator(".toolbar .chip")).to_have_text("Rejected")
    assert (stage.root / "a.py").read_text().startswith("line_1 = 11\n")
    assert (stage.root / "b.py").read_text() == greeting

"""Restore to here and Fork from here."""

from __future__ import annotations

from playwright.sync_api import expect

from holdfast.testing import call, say
from tests.page.stage import SOURCE, Stage, check_axe, screenshot


def two_turns(stage: Stage) -> str:
    session = stage.server.new_session(title="Two turns")
    stage.script.add(
        call("edit_file", path="a.py", old="line_3 = 3", new="line_3 = 33"),
        say("The first is done."),
    )
    stage.server.turn(session, "Change line three")
    stage.script.add(
        call("edit_file", path="a.py", old="line_30 = 30", new="line_30 = 300"),
        say("The second is done."),
    )
    stage.server.turn(session, "Change line thirty")
    return session


def test_restore_previews_keeps_restores_returns_the_prompt_and_is_undone(stage: Stage) -> None:
    session = two_turns(stage)
    (stage.root / "b.py").write_text("# mine\n")
    tab = stage.open_session(session)
    second = tab.locator(".prompt", has_text="Change line thirty")
    second.get_by_role("button", name="Restore to here").press("Enter")
    dialog = tab.get_by_role("dialog")
    expect(dialog.locator(".files li", has_text="a.py")).to_contain_text("this session")
    mine = dialog.locator(".files li", has_text="b.py")
    expect(mine).to_contain_text("somebody else")
    expect(dialog).to_contain_text("1 message is removed")
    check_axe(tab)
    screenshot(tab, "restore-light")
    mine.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Restore", exact=True).click()
    expect(dialog).to_contain_text("Removed 1 message")
    expect(dialog).to_contain_text("Kept as they are: b.py")
    assert "line_30 = 30\n" in (stage.root / "a.py").read_text()
    assert "line_3 = 33\n" in (stage.root / "a.py").read_text()
    assert (stage.root / "b.py").read_text() == "# mine\n"
    dialog.get_by_role("button", name="Close").last.click()
    expect(tab.locator("#composer")).to_have_value("Change line thirty")
    # The prompt stays as the last message, without its answer.
    expect(tab.locator(".foot .chip.good")).to_have_count(1)
    expect(tab.locator(".prompt.unanswered")).to_contain_text("Change line thirty")
    tab.reload()
    expect(tab.locator(".prompt.unanswered")).to_contain_text("Change line thirty")
    expect(tab.locator(".foot .chip.good")).to_have_count(1)
    expect(tab.locator("#composer")).to_have_value("Change line thirty")
    tab.get_by_role("button", name="Undo the restore").click()
    expect(tab.locator(".foot .chip.good")).to_have_count(2)
    assert "line_30 = 300\n" in (stage.root / "a.py").read_text()
    # Nobody has edited it.
    expect(tab.locator("#composer")).to_have_value("")


def test_a_restore_from_the_timeline_returns_the_prompt_and_its_undo_leaves_what_was_edited(
    stage: Stage,
) -> None:
    session = two_turns(stage)
    tab = stage.open_session(session, "timeline")
    entry = tab.locator(".timeline li", has_text="Change line thirty")
    entry.get_by_role("button", name="Restore to here").click()
    dialog = tab.get_by_role("dialog")
    dialog.get_by_role("button", name="Restore", exact=True).click()
    dialog.get_by_role("button", name="Close").last.click()
    stage.go(tab, f"/s/{session}")
    expect(tab.locator("#composer")).to_have_value("Change line thirty")
    tab.locator("#composer").fill("Change line thirty, please")
    tab.get_by_role("button", name="Undo the restore").click()
    expect(tab.locator(".foot .chip.good")).to_have_count(2)
    expect(tab.locator("#composer")).to_have_value("Change line thirty, please")


def test_restore_of_the_conversation_leaves_the_files_and_of_the_files_the_conversation(
    stage: Stage,
) -> None:
    session = two_turns(stage)
    tab = stage.open_session(session)
    tab.locator(".prompt", has_text="Change line thirty").get_by_role(
        "button", name="Restore to here"
    ).click()
    dialog = tab.get_by_role("dialog")
    dialog.get_by_label("Files only").check()
    expect(dialog).not_to_contain_text("messages are removed")
    dialog.get_by_role("button", name="Restore", exact=True).click()
    expect(dialog).to_contain_text("The files are those of the checkpoint.")
    dialog.get_by_role("button", name="Close").last.click()
    expect(tab.locator(".prompt")).to_have_count(2)
    assert "line_30 = 30\n" in (stage.root / "a.py").read_text()
    tab.locator(".prompt", has_text="Change line three").get_by_role(
        "button", name="Restore to here"
    ).click()
    dialog.get_by_label("Conversation only").check()
    dialog.get_by_role("button", name="Restore", exact=True).click()
    expect(dialog).to_contain_text("The files were left alone.")
    dialog.get_by_role("button", name="Close").last.click()
    expect(tab.locator(".prompt")).to_have_count(1)
    expect(tab.locator(".foot .chip.good")).to_have_count(0)
    assert "line_3 = 33\n" in (stage.root / "a.py").read_text()


def test_a_fork_is_a_new_session_and_leaves_this_one_alone(stage: Stage) -> None:
    session = two_turns(stage)
    before = (stage.root / "a.py").read_text()
    tab = stage.open_session(session)
    tab.locator(".prompt", has_text="Change line thirty").get_by_role(
        "button", name="Fork from here"
    ).click()
    expect(tab.locator(".session-item")).to_have_count(2)
    expect(tab.locator(".markdown")).to_have_text(["The first is done."])
    expect(tab.locator(".session-facts")).to_contain_text("worktree")
    assert session not in tab.url
    assert (stage.root / "a.py").read_text() == before != SOURCE
    assert len(stage.server.get(f"/sessions/{session}/messages")["messages"]) == 4

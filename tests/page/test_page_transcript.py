"""The transcript in a real browser: streaming, tool cards, sentinels, the queue, stop, reload, injection."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from holdfast.repair.decisions.decision import Decision
from holdfast.testing import Reply, call, say, slow
from holdfast.wiring.decisions import decisions_at
from tests.page.stage import Gate, Stage, check_axe, screenshot, send

MARKDOWN = """Some **bold** words.

| a | b |
|---|---|
| 1 | 2 |

```python
x = 1
```

The end of it.
"""
SCRIPT = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


def test_a_reply_streams_in_and_a_reload_in_mid_stream_shows_the_same(stage: Stage) -> None:
    gate = Gate()
    stage.script.add(slow(say(MARKDOWN, reasoning="First I think."), gate.event))
    session = stage.server.new_session(title="Streaming")
    tab = stage.open_session(session)
    send(tab, "Say something long")
    expect(tab.locator(".prompt-text")).to_have_text("Say something long")
    expect(tab.locator(".thoughts summary")).to_be_visible()
    expect(tab.get_by_role("button", name="Stop")).to_be_visible()
    other = stage.open_session(session, context=tab.context)
    tab.reload()
    expect(tab.locator(".thoughts summary")).to_be_visible()
    gate.open()
    for each in (tab, other):
        expect(each.locator(".markdown table td").first).to_have_text("1")
        expect(each.locator(".chip.good")).to_have_text("Done")
    shown = tab.locator(".transcript").inner_text()
    tab.reload()
    expect(tab.locator(".chip.good")).to_have_text("Done")
    expect(tab.locator(".hl-number")).to_have_text("1")
    assert tab.locator(".transcript").inner_text() == shown
    assert other.locator(".transcript").inner_text() == shown


def test_tool_cards_have_diff_rung_and_refusal_with_its_cure(stage: Stage) -> None:
    stage.script.add(
        call("edit_file", path="b.py", old="greeting", new="hello"),
        call(
            "edit_file",
            path="b.py",
            old="     return 'Hello, ' + name",
            new="     return 'Good day, ' + name",
        ),
        call("run_command", command="echo out of it"),
        say("Done."),
    )
    session = stage.server.new_session(title="Cards")
    stage.server.turn(session, "Be polite")
    tab = stage.open_session(session)
    expect(tab.locator(".card.tone-bad .refusal")).to_contain_text("not found")
    landed = tab.locator(".card.tone-good")
    expect(landed.locator(".diff-added").first).to_contain_text("Good day")
    expect(landed.locator(".rung")).to_contain_text("matched but for whitespace")
    expect(landed.locator(".rung")).to_contain_text("%")
    expect(tab.locator(".card", has_text="echo out of it")).to_contain_text("exit 0")
    expect(tab.locator(".gauge")).to_contain_text("tokens")
    expect(tab.locator(".session-facts")).to_contain_text("steps")
    check_axe(tab)
    screenshot(tab, "transcript-light")


def test_sentinels_are_banners_with_their_texts_and_continue_goes_on(stage: Stage) -> None:
    stage.script.add(*[call("read_file", path="none.py")] * 6)
    session = stage.server.new_session(title="Stuck")
    stage.server.turn(session, "Read it")
    tab = stage.open_session(session)
    expect(tab.locator("[data-sentinel=mistake_recovery]").first).to_contain_text(
        "Hit repeated different errors — recovery guidance injected, continuing."
    )
    expect(tab.locator("[data-sentinel=doom_loop]").last).to_contain_text("stopped the turn")
    expect(tab.locator(".state")).to_have_text("Stopped")
    stage.script.replies.clear()
    stage.script.add(say("Now I go on."))
    tab.get_by_role("button", name="Continue").click()
    expect(tab.locator(".markdown").last).to_have_text("Now I go on.")
    expect(tab.locator(".state")).to_have_text("Done")


def test_a_message_waits_for_the_turn_can_be_edited_removed_and_sent_now(stage: Stage) -> None:
    gate = Gate()
    stage.script.add(slow(say("The first answer goes on and on."), gate.event))
    session = stage.server.new_session(title="Queue")
    tab = stage.open_session(session)
    send(tab, "First")
    expect(tab.get_by_role("button", name="Queue")).to_be_visible()
    send(tab, "Second")
    send(tab, "Third")
    expect(tab.locator(".queued")).to_have_count(2)
    tab.reload()
    expect(tab.locator(".queued")).to_have_count(2)
    second, third = (
        tab.locator(".queued", has_text="Second"),
        tab.locator(".queued", has_text="Third"),
    )
    second.get_by_role("button", name="Edit").click()
    tab.locator(".queued textarea").fill("Second, edited")
    tab.get_by_role("button", name="Save").click()
    expect(tab.locator(".queued", has_text="Second, edited")).to_be_visible()
    third.get_by_role("button", name="Remove").click()
    expect(tab.locator(".queued")).to_have_count(1)
    stage.script.add(say("The second answer."))
    tab.get_by_role("button", name="Send now").click()
    expect(tab.locator(".markdown").last).to_have_text("The second answer.")
    expect(tab.locator(".prompt-text").last).to_have_text("Second, edited")
    expect(tab.locator(".queued")).to_have_count(0)
    gate.open()


def test_stop_ends_the_turn(stage: Stage) -> None:
    gate = Gate()
    stage.script.add(slow(say("This will not come to its end."), gate.event))
    session = stage.server.new_session(title="Stop")
    tab = stage.open_session(session)
    send(tab, "Begin")
    expect(tab.locator(".markdown")).to_contain_text("This")
    tab.get_by_role("button", name="Stop").click()
    expect(tab.locator(".foot .chip.bad")).to_have_text("Cancelled")
    expect(tab.locator(".state")).to_have_text("Stopped")
    gate.open()


def evil_decision(text: str) -> Decision:
    return Decision(
        id="a1" + "0" * 14,
        module="a.py",
        path=text,
        target="python",
        decision_type="repair",
        choice=text,
        reasoning=text,
        timestamp="2026-01-01T00:00:00+00:00",
        diff=f"@@ -1 +1 @@\n-a\n+{text}\n",
    )


def test_script_in_texts_names_diffs_titles_commands_and_links_never_runs_even_without_csp(
    stage: Stage,
) -> None:
    evil = f"<svg onload=window.hacked=1>{SCRIPT}"
    name = "<img src=x onerror=window.hacked=1>.py"
    links = "[a](javascript:window.hacked=1) [b](data:text/html,<script>window.hacked=1</script>) [c](JaVaScRiPt:window.hacked=1)"
    stage.script.add(
        Reply(
            text=f"{evil}\n\n{links}\n\n![x](javascript:window.hacked=1)\n\n```html\n{evil}\n```\n",
            reasoning=evil,
            calls=call("write_file", path=name, content=evil).calls,
        ),
        call("run_command", command=f"echo '{evil}'"),
        call("edit_file", path=f"{name}", old="nowhere", new=evil),
        say(evil),
    )
    session = stage.server.new_session(title=evil)
    stage.server.turn(session, evil)
    decisions_at(stage.root).record(evil_decision(evil))
    asking = stage.server.new_session(title=evil, mode="ask")
    stage.script.add(call("run_command", command=f"touch '{evil}'"))
    stage.server.send(asking, evil)
    stage.server.wait_for(asking, "waiting")
    tab = stage.open_session(session, bypass_csp=True)
    expect(tab.locator(".foot .chip").first).to_be_visible()
    for place, shown in (
        ("/decisions", ".decision"),
        ("/approvals", ".approval"),
        (f"/s/{asking}", ".approval"),
    ):
        stage.go(tab, place)
        expect(tab.locator(shown)).to_contain_text("<svg onload")
        tab.locator("details").evaluate_all("all => all.forEach(each => { each.open = true })")
        tab.wait_for_timeout(400)
        assert tab.evaluate("() => window.hacked") is None
        assert tab.locator(".main svg[onload], .main img, .main script").count() == 0
    for place in ("changes", "timeline", "ledger", ""):
        stage.go(tab, f"/s/{session}/{place}" if place else f"/s/{session}")
        tab.wait_for_timeout(400)
    tab.locator("details").evaluate_all("all => all.forEach(each => { each.open = true })")
    tab.wait_for_timeout(400)
    assert tab.evaluate("() => window.hacked") is None
    assert tab.locator(".markdown script, .markdown img, .markdown svg, .card script").count() == 0
    hrefs = tab.locator("a").evaluate_all("all => all.map(each => each.getAttribute('href'))")
    assert [
        href for href in hrefs if re.match(r"\s*(javascript|data):", href or "", re.IGNORECASE)
    ] == []

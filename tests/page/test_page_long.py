"""A session that works for long, on generated answers: what streams in stays as it was drawn, what was let go comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bench.page.answers import ENTRIES, Answers, start
from bench.page.live_session import STEPS, TURN
from tests.page.stage import PATIENCE
from tests.samples import only_whole
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

WATCH_COLOURS = """() => {
  window.coloured = 0;
  window.lost = 0;
  const had = new WeakSet();
  new MutationObserver(() => {
    for (const block of document.querySelectorAll('.code pre')) {
      const has = block.querySelector('[class^=hl-]') !== null;
      if (has && !had.has(block)) window.coloured += 1;
      if (has) had.add(block);
      else if (had.has(block)) window.lost += 1;
    }
  }).observe(document.querySelector('.transcript'), { subtree: true, childList: true, characterData: true });
}"""


@pytest.fixture
def live(browser: Any) -> Iterator[Page]:
    """Open a session before its first event."""
    Answers.last_event, Answers.sent, Answers.rush, Answers.is_cut = 0, 0, False, False
    server = start()
    context = browser.new_context(viewport={"width": 1280, "height": 3_000})
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.goto(f"http://127.0.0.1:{server.server_port}/#/p/p/s/live")
    expect(tab.locator(".transcript .empty")).to_be_visible()
    yield tab
    context.close()
    server.shutdown()
    server.server_close()


def test_code_that_streams_in_never_loses_its_colours(live: Page) -> None:
    live.evaluate(WATCH_COLOURS)
    Answers.last_event = TURN
    expect(live.locator(".foot .chip.good")).to_have_text("Done")
    assert live.evaluate("() => [window.coloured >= 1, window.lost]") == [True, 0]


@only_whole
def test_messages_that_were_let_go_come_back_on_the_way_up_each_once_and_in_order(
    live: Page,
) -> None:
    turns = 70
    asked: list[str] = []
    live.on("request", lambda request: asked.append(request.url))
    Answers.rush, Answers.last_event = True, turns * TURN
    expect(live.get_by_text(f"Step {STEPS} of answer {turns - 1}:").first).to_be_visible()
    assert wait_until(lambda: _newest_pages(asked, live) > 0)

    seen: set[int] = set()
    for _ in range(2_000):  # only to end a hang
        shown = _prompts_in_view(live)
        assert shown == list(range(shown[0], shown[0] + len(shown)))
        seen.update(shown)
        if 0 in seen:
            break
        _scroll(live, -2_800)
    assert seen == set(range(turns))
    assert any("before=" in url for url in asked)


def test_a_reader_further_up_stays_there_when_the_connection_is_lost_and_comes_back(
    live: Page,
) -> None:
    turns = 30
    Answers.rush, Answers.last_event = True, turns * TURN
    expect(live.get_by_text(f"Step {STEPS} of answer {turns - 1}:").first).to_be_visible()
    _scroll(live, -20_000)
    shown = _prompts_in_view(live)
    Answers.is_cut = True
    expect(live.get_by_role("alert")).to_contain_text("connection to the server is lost")
    Answers.is_cut, Answers.last_event = False, (turns + 1) * TURN
    expect(live.get_by_role("alert")).to_have_count(0)
    expect(live.locator(".banner.tone-good")).to_contain_text("Connected again")
    assert wait_until(lambda: Answers.sent == Answers.last_event)
    assert shown[0] < turns - 1
    assert _prompts_in_view(live) == shown
    live.get_by_role("button", name="To the newest").click()
    expect(live.get_by_text(f"Step {STEPS} of answer {turns}:").first).to_be_visible()


@only_whole
def test_of_a_very_long_answer_only_what_is_in_view_is_drawn_and_all_of_it_is_there(
    live: Page,
) -> None:
    live.set_viewport_size({"width": 1280, "height": 860})
    live.evaluate("() => { location.hash = '#/p/p/s/huge' }")
    expect(live.get_by_text("item 3999,")).to_be_visible()
    seen: list[int] = []
    for _ in range(2_000):  # only to end a hang
        assert live.evaluate("() => document.querySelectorAll('*').length") < 3_000
        drawn = live.locator(".transcript li").all_inner_texts()
        numbers = [int(re.findall(r"item (\d+)", text)[0]) for text in drawn]
        assert numbers == sorted(numbers)
        seen += numbers
        if live.locator(".prompt-text").count() == 1:
            break
        _scroll(live, -700)
    assert sorted(set(seen)) == list(range(4_000))
    prompt = live.locator(".prompt-text")
    shown = len(prompt.inner_text())
    prompt.get_by_role("button", name="Show more").click()
    assert wait_until(lambda: len(prompt.inner_text()) > shown)
    live.locator(".thoughts summary").click()
    expect(live.locator(".thoughts li").first).to_contain_text("item 0,")
    assert live.evaluate("() => document.querySelectorAll('*').length") < 4_000


def test_the_timeline_goes_as_far_back_as_the_log(live: Page) -> None:
    live.evaluate("() => { location.hash = '#/p/p/s/empty/timeline' }")
    entries = live.locator(".timeline li")
    for shown in (*range(100, ENTRIES, 100), ENTRIES):
        expect(entries).to_have_count(shown)
        if shown < ENTRIES:
            live.get_by_role("button", name="Show older").click()
    expect(live.get_by_role("button", name="Show older")).to_have_count(0)


def test_a_server_with_another_log_is_loaded_anew(live: Page) -> None:
    Answers.rush, Answers.last_event = True, 3 * TURN
    expect(live.get_by_text(f"Step {STEPS} of answer 2:").first).to_be_visible()
    Answers.is_cut = True
    expect(live.get_by_role("alert")).to_contain_text("connection to the server is lost")
    # Another store: its log is shorter.
    Answers.last_event = Answers.sent = TURN
    Answers.is_cut = False
    expect(live.get_by_text(f"Step {STEPS} of answer 2:")).to_have_count(0)
    expect(live.get_by_text(f"Step {STEPS} of answer 0:").first).to_be_visible()
    expect(live.get_by_role("alert")).to_have_count(0)
    Answers.last_event = 2 * TURN
    expect(live.get_by_text(f"Step {STEPS} of answer 1:").first).to_be_visible()


def _scroll(tab: Page, by: int) -> None:
    tab.evaluate("by => document.querySelector('.transcript').scrollBy(0, by)", by)
    tab.wait_for_timeout(100)  # a frame, and the page that it may ask for


def _newest_pages(asked: list[str], tab: Page) -> int:
    """Count the loads of the newest page since the session was opened."""
    tab.wait_for_timeout(100)  # the events of the browser are handled while it waits
    return sum("/messages?limit=" in url for url in asked)


def _prompts_in_view(tab: Page) -> list[int]:
    """Return the numbers of the prompts that are drawn, from top to bottom; those of the answers if there is none."""
    return tab.evaluate(
        """() => [...document.querySelectorAll('.transcript-row')]
            .sort((one, two) => one.dataset.index - two.dataset.index)
            .flatMap(row => [...row.querySelectorAll('.prompt-text')])
            .map(each => Number(/\\d+/.exec(each.textContent)[0]))"""
    ) or _answers_in_view(tab)


def _answers_in_view(tab: Page) -> list[int]:
    text = tab.locator(".transcript").inner_text()
    return sorted({int(number) for number in re.findall(r"of answer (\d+):", text)})

"""Sessions, questions, the panels, tabs of one browser, themes and sizes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from holdfast.testing import call, say, slow
from tests.page.stage import Gate, Stage, check_axe, screenshot, send
from tests.samples import WHOLE, sample
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

TABS = 8 if WHOLE else 4


def test_a_session_is_begun_searched_renamed_archived_and_brought_back_by_keyboard(
    stage: Stage,
) -> None:
    stage.server.new_session(title="Another one")
    tab = stage.open()
    tab.keyboard.press("n")
    tab.get_by_label("Title").fill("Count the apples")
    tab.get_by_label("Do all without asking").check()
    tab.get_by_role("button", name="Begin").press("Enter")
    expect(tab.get_by_role("heading", name="Count the apples")).to_be_visible()
    stage.script.add(say("There are seven."))
    send(tab, "How many?")
    expect(tab.locator(".session-item", has_text="Count the apples")).to_contain_text(
        "There are seven."
    )
    tab.keyboard.press("Escape")
    tab.keyboard.press("/")
    tab.keyboard.type("seven")
    expect(tab.locator(".session-item")).to_have_count(1)
    tab.get_by_label("Search sessions").fill("")
    expect(tab.locator(".session-item")).to_have_count(2)
    tab.get_by_label("More actions").press("Enter")
    tab.get_by_role("button", name="Rename").click()
    tab.get_by_role("dialog").get_by_role("textbox").fill("Seven apples")
    tab.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(tab.locator(".session-item", has_text="Seven apples")).to_be_visible()
    # The menu has closed with the choice.
    expect(tab.get_by_role("button", name="Archive")).to_be_hidden()
    tab.get_by_label("More actions").press("Enter")
    tab.keyboard.press("Escape")
    expect(tab.get_by_role("button", name="Archive")).to_be_hidden()
    tab.get_by_label("More actions").press("Enter")
    tab.get_by_role("button", name="Archive").click()
    expect(tab.locator(".session-item", has_text="Seven apples")).to_have_count(0)
    tab.get_by_label("Show", exact=True).select_option("archived")
    expect(tab.locator(".session-item", has_text="Seven apples")).to_be_visible()
    tab.keyboard.press("Escape")
    tab.locator("body").press("?")
    expect(tab.get_by_role("dialog")).to_contain_text("New session")


def test_of_two_tabs_that_answer_a_question_one_wins_and_the_other_is_told(stage: Stage) -> None:
    stage.script.add(call("run_command", command="touch made"), say("It was answered."))
    session = stage.server.new_session(title="Question", mode="ask")
    one = stage.open_session(session)
    send(one, "Make a file")
    expect(one.locator(".approval.open .subject")).to_have_text("touch made")
    expect(one).to_have_title(re.compile(r"^\(1\) waits for you"))
    other = stage.open("/approvals", context=stage.context())
    expect(other.locator(".approval.open")).to_be_visible()
    expect(other.locator(".group").first).to_have_text("Waits for you")
    check_axe(one)
    screenshot(one, "approval-light")
    # The second tab does not hear of the first answer before it sends its own.
    other.route("**/events?*", lambda route: route.abort())
    other.get_by_label("Reason").fill("Not now")
    one.locator(".approval").get_by_role("button", name="Allow once").click()
    expect(one.locator(".approval .answered")).to_have_text("Allowed once")
    deny = other.get_by_role("button", name="Deny")
    if deny.count() == 1:
        deny.click()
        expect(other.locator(".toast.bad, .answered").first).to_be_visible()
    expect(one.locator(".markdown").last).to_have_text("It was answered.")
    assert (stage.root / "made").exists()
    expect(one.locator(".approval .answered")).to_have_text("Allowed once")


def test_a_denied_question_tells_the_model_the_reason(stage: Stage) -> None:
    # Asked whether it is done with a command that was denied, the model says the same again.
    stage.script.add(call("run_command", command="touch made"), *[say("I leave it.")] * 3)
    session = stage.server.new_session(title="Denied", mode="ask")
    tab = stage.open_session(session)
    send(tab, "Make a file")
    tab.get_by_label("Reason, told to the model").fill("We make no files here")
    tab.get_by_role("button", name="Deny").press("Enter")
    expect(tab.locator(".approval .answered")).to_contain_text("Denied: We make no files here")
    expect(tab.locator(".markdown").last).to_have_text("I leave it.")
    assert not (stage.root / "made").exists()


def test_what_is_allowed_in_the_session_or_always_is_not_asked_again(stage: Stage) -> None:
    for answer, command in (("Allow in this session", "touch one"), ("Always allow", "touch two")):
        touch = call("run_command", command=command)
        stage.script.add(touch, say("Made."), touch, say("Made again."))
        session = stage.server.new_session(title=answer, mode="ask")
        tab = stage.open_session(session)
        send(tab, "Make a file")
        tab.get_by_role("button", name=answer).press("Enter")
        expect(tab.locator(".markdown").last).to_have_text("Made.")
        send(tab, "And again")
        expect(tab.locator(".markdown").last).to_have_text("Made again.")
        expect(tab.locator(".approval")).to_have_count(1)


def test_settings_show_what_was_found_and_how_to_get_what_is_missing(stage: Stage) -> None:
    tab = stage.open("/settings")
    expect(
        tab.get_by_text("A turn would use").locator("xpath=following-sibling::dd[1]")
    ).to_have_text("scripted")
    agents = tab.locator(".agents li")
    expect(agents.filter(has_text="scripted").locator(".chip")).to_have_text("installed")
    expect(agents.filter(has=tab.get_by_text("qwen", exact=True))).to_contain_text("npm install")
    screenshot(tab, "settings-light")


def test_many_tabs_of_one_browser_share_one_stream_and_all_see_the_turn(stage: Stage) -> None:
    session = stage.server.new_session(title="Eight")
    context = stage.context()
    tabs = [stage.open_session(session, context=context) for _ in range(TABS)]
    for tab in tabs:
        expect(tab.locator("#composer")).to_be_visible()
    assert wait_until(lambda: stage.server.get("/health")["followers"] == 1)
    stage.script.add(say("All of you see this."))
    send(tabs[-1], "Hello, all")
    for tab in tabs:
        expect(tab.locator(".markdown")).to_have_text("All of you see this.")
    assert stage.server.get("/health")["followers"] == 1
    for tab in tabs[:-1]:
        tab.close()
    stage.script.add(say("And you still do."))
    send(tabs[-1], "Still there?")
    expect(tabs[-1].locator(".markdown").last).to_have_text("And you still do.")


WINDOWS: list[tuple[str, dict[str, Any]]] = [
    ("light", {"color_scheme": "light"}),
    ("dark", {"color_scheme": "dark"}),
    ("phone", {"viewport": {"width": 390, "height": 800}, "has_touch": True}),
    ("narrow", {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"}),
]


@pytest.mark.parametrize(("name", "options"), sample(WINDOWS, 2, last=1))
def test_every_view_passes_axe_and_fits_its_window(
    stage: Stage, name: str, options: dict[str, Any]
) -> None:
    stage.script.add(
        call("read_file", path="b.py"),
        call("edit_file", path="a.py", old="line_4 = 4", new="line_4 = 44"),
        say(
            "Read **and** written, in `a.py`.\n\n```python\nprint('a line that is long enough to leave a small window to the right of it')\n```\n",
            reasoning="Thinking.",
        ),
    )
    session = stage.server.new_session(
        title="Every view of the page, with a title that is rather long"
    )
    stage.server.turn(session, "Read and write")
    tab = stage.open(**options)
    for view in (
        "",
        f"/s/{session}",
        f"/s/{session}/changes",
        f"/s/{session}/timeline",
        f"/s/{session}/ledger",
        "/new",
        "/settings",
        "/decisions",
        "/approvals",
    ):
        stage.go(tab, view)
        place = tab.locator(".sidebar" if view == "" and name in {"phone", "narrow"} else ".main")
        expect(place).to_be_visible()
        expect(tab.get_by_text("Loading…")).to_have_count(0)
        tab.wait_for_timeout(150)
        check_axe(tab)
        screenshot(
            tab, f"{name}-{view.strip('/').replace(session, 'session').replace('/', '-') or 'home'}"
        )
        assert tab.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    stage.go(tab, f"/s/{session}/timeline")
    expect(tab.locator(".timeline")).to_contain_text("Read and write")
    stage.go(tab, f"/s/{session}/ledger")
    expect(tab.locator(".ledger")).to_contain_text("b.py")
    stage.go(tab, "/settings")
    expect(tab.locator(".agents")).to_contain_text("qwen")
    expect(tab.locator(".sheet", has_text="Models").first).to_contain_text("scripted")


def test_the_switch_of_colours_is_kept(stage: Stage) -> None:
    tab = stage.open(color_scheme="light")
    background = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = tab.evaluate(background)
    tab.get_by_label("Colours: As the system").click()
    dark = tab.evaluate(background)
    assert dark != light
    tab.reload()
    expect(tab.get_by_label("Colours: Dark")).to_be_visible()
    assert tab.evaluate(background) == dark


def test_without_a_shared_worker_a_tab_follows_by_itself(stage: Stage) -> None:
    session = stage.server.new_session(title="Alone")
    context = stage.context()
    context.add_init_script("delete window.SharedWorker")
    tab = stage.open_session(session, context=context)
    gate = Gate()
    stage.script.add(slow(say("It streams in here as well."), gate.event))
    send(tab, "Hello")
    expect(tab.locator(".markdown")).to_contain_text("It")
    gate.open()
    expect(tab.locator(".markdown")).to_have_text("It streams in here as well.")

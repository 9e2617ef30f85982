"""Measure the page: a long session, a large diff, a stream, the heap. `make bench-page`."""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from typing import TYPE_CHECKING

from bench.page.answers import Answers, start
from bench.page.live_session import STEPS, TURN

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 600_000
SAMPLES = 10
FLAT = 1.1
"""How much higher the heap may be in the second half of the events than in the first one."""
OPEN = """async ([hash, wanted]) => {
  location.hash = '#/p/p';
  await new Promise(done => setTimeout(done, 300));
  const begun = performance.now();
  location.hash = hash;
  while (!document.querySelector(wanted)) await new Promise(done => requestAnimationFrame(done));
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
}"""


def main() -> int:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--events", type=int, default=50_000, help="events of the run of the heap")
    parser.add_argument("--only", choices=["opening", "stream", "heap"], action="append")
    options = parser.parse_args()
    wanted = options.only or ["opening", "stream", "heap"]
    server = start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-headless-shell"),
            args=["--no-sandbox", "--enable-precise-memory-info"],
        )
        good = True
        if "opening" in wanted:
            good &= measure_opening(browser, address, options.rounds)
        if "stream" in wanted:
            good &= measure_stream(browser, address)
        if "heap" in wanted:
            good &= measure_heap(browser, address, options.events)
        browser.close()
    server.shutdown()
    return 0 if good else 1


def opened(browser: Browser, address: str) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_selector(".session-item")
    return page


def measure_opening(browser: Browser, address: str, rounds: int) -> bool:
    page = opened(browser, address)
    page.evaluate(OPEN, ["#/p/p/s/small/changes", ".diff-row"])

    def median(path: str, wanted: str) -> float:
        return float(statistics.median(page.evaluate(OPEN, [path, wanted]) for _ in range(rounds)))

    empty = median("#/p/p/s/empty", ".transcript .empty")
    many = median("#/p/p/s/many", ".row-foot")
    small = median("#/p/p/s/small/changes", ".diff-row")
    large = median("#/p/p/s/large/changes", ".diff-row")
    nodes = page.evaluate("() => document.querySelectorAll('*').length")
    page.context.close()
    print(
        f"an empty session {empty:.0f} ms, 5,000 messages {many:.0f} ms: {many / empty:.1f} x (limit 3)"
    )
    print(
        f"a diff of 200 lines {small:.0f} ms, of 20,000 lines in 1,000 hunks {large:.0f} ms: {large / small:.1f} x (limit 5)"
    )
    print(f"nodes with the large diff: {nodes} (limit 3,000)")
    return many <= 3 * empty and large <= 5 * small and nodes < 3_000


def measure_stream(browser: Browser, address: str) -> bool:
    page = opened_live(browser, address, rush=False)
    page.evaluate(
        "() => { window.tasks = []; new PerformanceObserver(list => tasks.push(...list.getEntries().map(each => each.duration))).observe({entryTypes: ['longtask']}) }"
    )
    stream_to(page, 4 * TURN)
    longest = page.evaluate("() => Math.max(0, ...window.tasks)")
    page.context.close()
    print(f"1,000 events at 100 a second: longest task {longest:.0f} ms (limit 200)")
    return bool(longest <= 200)


def measure_heap(browser: Browser, address: str, events: int) -> bool:
    page = opened_live(browser, address, rush=True)
    client = page.context.new_cdp_session(page)
    heaps = []
    for share in range(1, SAMPLES + 1):
        last = events * share // SAMPLES // TURN * TURN
        stream_to(page, last)
        client.send("HeapProfiler.collectGarbage")
        heaps.append(float(client.send("Runtime.getHeapUsage")["usedSize"]) / 1_000_000)
    page.context.close()
    listed = ", ".join(f"{heap:.1f}" for heap in heaps)
    print(f"heap after each tenth of {events} events, MB: {listed}")
    # It rises while messages come, and falls when the page lets go of old ones.
    half = SAMPLES // 2
    ratio = max(heaps[half:]) / max(heaps[:half])
    print(f"its highest in the second half, beside the first half: {ratio:.2f} x (limit {FLAT} x)")
    return ratio <= FLAT


def opened_live(browser: Browser, address: str, *, rush: bool) -> Page:
    """Open the session that works, before its first event."""
    Answers.last_event, Answers.sent, Answers.rush = 0, 0, rush
    page = opened(browser, address)
    page.evaluate("() => { location.hash = '#/p/p/s/live' }")
    page.wait_for_selector(".transcript .empty")
    return page


def stream_to(page: Page, last: int) -> None:
    """Send events up to a number, and wait until the page shows the last answer."""
    Answers.last_event = last
    page.get_by_text(f"Step {STEPS} of answer {last // TURN - 1}:").first.wait_for()
    page.locator(".foot .chip.good").last.wait_for()


if __name__ == "__main__":
    sys.exit(main())

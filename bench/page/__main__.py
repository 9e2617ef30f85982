"""Measure the page: a long session, a large diff, a stream, the heap. `make bench-page`."""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from typing import TYPE_CHECKING

from bench.page.answers import Answers, start

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 120_000
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
    options = parser.parse_args()
    server = start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--enable-precise-memory-info"],
        )
        good = measure_opening(browser, address, options.rounds)
        good &= measure_stream(browser, address)
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
    Answers.last_event, Answers.rush = 0, False
    page = opened(browser, address)
    page.evaluate(
        "() => { window.tasks = []; new PerformanceObserver(list => tasks.push(...list.getEntries().map(each => each.duration))).observe({entryTypes: ['longtask']}) }"
    )
    page.evaluate("() => { location.hash = '#/p/p/s/live' }")
    page.wait_for_selector(".row-foot")
    page.evaluate("() => { window.tasks.length = 0 }")
    Answers.last_event = 1_000
    page.get_by_text("Message 1000:").first.wait_for()
    longest = page.evaluate("() => Math.max(0, ...window.tasks)")
    page.context.close()
    print(f"1,000 events at 100 a second: longest task {longest:.0f} ms (limit 200)")
    return bool(longest <= 200)


def measure_heap(browser: Browser, address: str, events: int) -> bool:
    Answers.last_event, Answers.rush = 0, True
    page = opened(browser, address)
    page.evaluate("() => { location.hash = '#/p/p/s/live' }")
    page.wait_for_selector(".row-foot")
    client = page.context.new_cdp_session(page)

    def heap_after(last: int) -> float:
        Answers.last_event = last
        page.get_by_text(f"Message {last}:").first.wait_for()
        client.send("HeapProfiler.collectGarbage")
        return float(client.send("Runtime.getHeapUsage")["usedSize"]) / 1_000_000

    early = events // 2_000 * 200
    before, after = heap_after(early), heap_after(events // 200 * 200)
    page.context.close()
    print(f"heap after {early} events {before:.1f} MB, after {events} {after:.1f} MB (limit 2 x)")
    return after <= 2 * before


if __name__ == "__main__":
    sys.exit(main())

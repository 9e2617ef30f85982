import assert from "node:assert/strict";
import { test } from "node:test";

import type { Event, Timeline } from "../src/api/schema.ts";
import { NO_PAGES, type Pages, withNewest, withOlder } from "../src/panels/timeline_pages.ts";

/** Answer as the server: at most `limit` events below `before`, newest first. */
function answer(last: number, before: number | null, limit: number): Timeline {
  const end = before === null ? last : before - 1;
  const events: Event[] = [];
  for (let seq = end; seq > Math.max(0, end - limit); seq -= 1) events.push({ seq, kind: "turn_ended" } as Event);
  return { events, before: end > limit ? end - limit + 1 : null };
}

function numbers(pages: Pages): number[] {
  return pages.pages.flatMap((page) => page.map((event) => event.seq));
}

function down(from: number, to: number): number[] {
  return Array.from({ length: from - to + 1 }, (_, index) => from - index);
}

test("all entries of a long log are reached, page by page", () => {
  let pages = withNewest(NO_PAGES, answer(1_234, null, 100));
  while (pages.before !== null) pages = withOlder(pages, pages.before, answer(1_234, pages.before, 100));
  assert.deepEqual(numbers(pages), down(1_234, 1));
});

test("new entries are put before those that are there, which stay the same objects", () => {
  const first = withOlder(withNewest(NO_PAGES, answer(250, null, 100)), 151, answer(250, 151, 100));
  const later = withNewest(first, answer(260, null, 100));
  assert.deepEqual(numbers(later), down(260, 51));
  assert.equal(later.pages[1], first.pages[0]);
  assert.equal(later.before, first.before);
  assert.equal(withNewest(later, answer(260, null, 100)), later);
});

test("if more came than a page has, the older ones are asked for again: nothing is left out between", () => {
  const first = withNewest(NO_PAGES, answer(250, null, 100));
  const later = withNewest(first, answer(400, null, 100));
  assert.deepEqual(numbers(later), down(400, 301));
  assert.equal(later.before, 301);
  assert.equal(withOlder(later, 151, answer(400, 151, 100)), later);
});

test("a log that fits into one page has no older one", () => {
  const first = withNewest(NO_PAGES, answer(0, null, 100));
  assert.deepEqual(first, { pages: [[]], before: null });
  assert.deepEqual(numbers(withNewest(first, answer(3, null, 100))), [3, 2, 1]);
});

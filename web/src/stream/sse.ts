// A parser of `text/event-stream`, for any chunking of the bytes.

import type { Event } from "../api/schema.ts";

/** Collects chunks of text; `push` returns the events that have become complete. */
export class EventParser {
  private rest = "";

  push(chunk: string): Event[] {
    this.rest += chunk;
    const found: Event[] = [];
    for (;;) {
      const end = /\r?\n\r?\n/.exec(this.rest);
      if (end === null) return found;
      const data = dataOf(this.rest.slice(0, end.index));
      this.rest = this.rest.slice(end.index + end[0].length);
      if (data !== null) found.push(JSON.parse(data) as Event);
    }
  }
}

/** Return the data of one block, or null for a comment (the beat of the server) or a block without data. */
function dataOf(block: string): string | null {
  const lines: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("data:")) lines.push(line.slice(line[5] === " " ? 6 : 5));
  }
  return lines.length === 0 ? null : lines.join("\n");
}

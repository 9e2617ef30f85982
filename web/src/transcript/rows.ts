// The transcript as rows of a virtual list. The rows of a message are made once and kept with it.

import type { Message, Part, SaidPart } from "../reduce.ts";
import { splitBlocks } from "../text/blocks.ts";

export type Row =
  /** `answered`: an answer follows, or is being made; a restore leaves the last prompt without one. */
  | { kind: "prompt"; key: string; message: Message; answered: boolean }
  | { kind: "part"; key: string; message: Message; part: Exclude<Part, SaidPart> }
  | { kind: "thoughts"; key: string; message: Message; part: SaidPart }
  /** Some blocks of what was said: a long text is several rows, so that only what is in view is parsed and drawn. */
  | { kind: "text"; key: string; message: Message; part: SaidPart; blocks: readonly string[]; last: boolean }
  | { kind: "foot"; key: string; message: Message };

const made = new WeakMap<Message, readonly Row[]>();

export function rowsOf(messages: readonly Message[]): Row[] {
  return messages.flatMap((message, index) => rowsOfMessage(message, messages[index + 1]?.role === "assistant"));
}

function rowsOfMessage(message: Message, answered: boolean): readonly Row[] {
  const known = made.get(message);
  const first = known?.[0];
  if (known !== undefined && (first?.kind !== "prompt" || first.answered === answered)) return known;
  const rows: Row[] = [];
  if (message.role === "user") {
    rows.push({ kind: "prompt", key: message.id, message, answered });
  } else {
    message.parts.forEach((part, index) => {
      const key = `${message.id}:${index}`;
      if (part.kind === "said") rows.push(...rowsOfText(message, part, key));
      else rows.push({ kind: "part", key, message, part });
    });
    rows.push({ kind: "foot", key: `${message.id}:foot`, message });
  }
  made.set(message, rows);
  return rows;
}

/** About how many characters a row has: a screen or less. */
const ROW = 2_000;

function rowsOfText(message: Message, part: SaidPart, key: string): Row[] {
  const rows: Row[] = [];
  if (part.reasoning !== "") rows.push({ kind: "thoughts", key: `${key}:thoughts`, message, part });
  if (part.text === "") return rows;
  const groups = groupBlocks(splitBlocks(part.text));
  groups.forEach((blocks, index) => {
    rows.push({ kind: "text", key: `${key}:${index}`, message, part, blocks, last: index === groups.length - 1 });
  });
  return rows;
}

/** Return blocks in groups of about a row each; what is complete stays in its group while the text grows. */
export function groupBlocks(blocks: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  let size = 0;
  for (const block of blocks) {
    if (size > 0 && size + block.length > ROW) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(block);
    size += block.length;
  }
  return groups;
}

/** How many characters of a prompt are shown at once. */
export const PROMPT = 4_000;
const LINE = 26;
const LETTERS = 90;
const heights = new WeakMap<Row, number>();

/** Return about how many pixels a row is high. A wrong guess draws rows that are not in view, and lets the list jump. */
export function heightOf(row: Row | undefined): number {
  if (row === undefined) return 110;
  const known = heights.get(row) ?? guessHeight(row);
  heights.set(row, known);
  return known;
}

function guessHeight(row: Row): number {
  switch (row.kind) {
    case "text":
      return 16 + row.blocks.reduce((sum, block) => sum + linesOf(block), 0) * LINE;
    case "prompt":
      return 84 + linesOf(row.message.text.slice(0, PROMPT)) * LINE;
    case "thoughts":
      return 40;
    case "foot":
      return 56;
    case "part":
      return 110;
  }
}

function linesOf(text: string): number {
  return text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS)), 0);
}

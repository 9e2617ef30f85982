// Markdown in blocks: what is complete is parsed once and kept, and only the end of a stream is parsed again.

/** A block with more characters is cut, so that none takes long to parse and draw; code is cheaper than the rest. */
export const LARGEST = 2_000;
export const LARGEST_CODE = 10_000;
const DEFINITION = /^ {0,3}\[([^\]]+)\]:/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Return a text in blocks that can be parsed one by one. What is complete stays the same while the text grows. */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | null = null;
  let blank = false;
  for (const line of text.split("\n")) {
    const marker = FENCE.exec(line)?.[1];
    if (fence === null && blank && block.length > 0 && beginsBlock(line)) {
      blocks.push(block.join("\n"));
      block = [];
    }
    if (fence === null && marker !== undefined) fence = marker;
    else if (fence !== null && marker !== undefined && closes(line, fence)) fence = null;
    blank = fence === null && line.trim() === "";
    block.push(line);
  }
  if (block.length > 0) blocks.push(block.join("\n"));
  return withDefinitions(blocks.flatMap(cutBlock));
}

/** Return the blocks with the definitions of links that they use: one counts for the whole text. */
function withDefinitions(blocks: string[]): string[] {
  const defined = new Map<string, string>();
  for (const block of blocks) {
    if (!block.includes("]:") || block.startsWith("```")) continue;
    for (const line of block.split("\n")) {
      const label = DEFINITION.exec(line)?.[1];
      if (label !== undefined && !defined.has(label.toLowerCase())) defined.set(label.toLowerCase(), line);
    }
  }
  if (defined.size === 0) return blocks;
  return blocks.map((block) => {
    const used = new Set<string>();
    for (const [, label] of block.matchAll(/\[([^\]]+)\]/g)) used.add((label ?? "").toLowerCase());
    const missing = [...used].map((label) => defined.get(label)).filter((line) => line !== undefined && !block.includes(line));
    // Not into code that is still open.
    return missing.length === 0 || openFence(block) !== null ? block : `${block}\n\n${missing.join("\n")}`;
  });
}

/** Return a block in pieces of a bounded size: cut between lines, with the fence or the head of the table once more. */
function cutBlock(block: string): string[] {
  if (block.length <= LARGEST) return [block];
  const pieces: string[] = [];
  let piece: string[] = [];
  let size = 0;
  let opened: string | null = null;
  let head: readonly string[] = [];
  for (const line of block.split("\n").flatMap(cutLine)) {
    const largest = opened === null ? LARGEST : LARGEST_CODE;
    // An item of a list is cut only if it is very long by itself.
    const fits = size + line.length <= largest || (/^(\s|$)/.test(line) && opened === null && size <= 2 * largest);
    if (!fits && piece.length > 0) {
      const fence = opened === null ? undefined : FENCE.exec(opened)?.[1];
      pieces.push((fence === undefined ? piece : [...piece, fence]).join("\n"));
      piece = opened === null ? (line.includes("|") ? [...head] : []) : [opened];
      size = 0;
    }
    const marker = FENCE.exec(line)?.[1];
    if (opened === null && marker !== undefined) opened = line;
    else if (opened !== null && marker !== undefined && closes(line, FENCE.exec(opened)?.[1] ?? "")) opened = null;
    const above = piece.at(-1) ?? "";
    if (opened === null && /^\s*\|?[\s:|-]*-[\s:|-]*$/.test(line) && line.includes("|") && above.includes("|")) head = [above, line];
    piece.push(line);
    size += line.length + 1;
  }
  return [...pieces, piece.join("\n")];
}

/** Return a line in pieces of a bounded size, cut at a blank if there is one. */
function cutLine(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > LARGEST) {
    const blank = rest.lastIndexOf(" ", LARGEST);
    const end = blank > LARGEST / 2 ? blank + 1 : LARGEST;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

/** A line after a blank one goes on with a list if it is indented or has a marker; else it begins a block. */
function beginsBlock(line: string): boolean {
  return line.trim() !== "" && !/^(\s|[-*+>]\s|\d+[.)]\s)/.test(line);
}

function closes(line: string, fence: string): boolean {
  const bare = line.trim();
  return bare.startsWith(fence) && bare.replaceAll(fence[0] ?? "`", "") === "";
}

/** Return the end of a stream without what would look different once it is complete. */
export function heal(block: string): string {
  const fence = openFence(block);
  // A last line of one or two marks may become the end of the code.
  if (fence !== null) return block.replace(new RegExp(`\\n[ \\t]*${fence[0]}{1,${fence.length - 1}}$`), "\n");
  let text = withoutHalfTable(block);
  // A line of dashes may become a rule, a heading or a list item.
  text = text.replace(/(^|\n)[ \t]*([-=*_]{1,3}|#{1,6}|\d+[.)]?)[ \t]*$/, "$1");
  text = text.replace(/!?\[([^\]\n]*)\]\([^)\n]*$/, "$1").replace(/!?\[([^\]\n]*)$/, "$1");
  const paragraph = text.slice(text.lastIndexOf("\n\n") + 1);
  if (count(paragraph, /`/g) % 2 === 1) return `${text}\``;
  if (count(paragraph, /\*\*/g) % 2 === 1) return text.endsWith("**") ? text.slice(0, -2) : `${text}**`;
  if (count(paragraph, /~~/g) % 2 === 1) return text.endsWith("~~") ? text.slice(0, -2) : `${text}~~`;
  return text;
}

/** Return the marks of the fence that is open at the end, or null. */
function openFence(block: string): string | null {
  let fence: string | null = null;
  for (const line of block.split("\n")) {
    const marker = FENCE.exec(line)?.[1];
    if (marker === undefined) continue;
    if (fence === null) fence = marker;
    else if (closes(line, fence)) fence = null;
  }
  return fence;
}

/** A table is a table only from its second line on: until then its first one is not shown. */
function withoutHalfTable(block: string): string {
  const lines = block.split("\n");
  let first = lines.length;
  while (first > 0 && (lines[first - 1] ?? "").trimStart().startsWith("|")) first -= 1;
  const table = lines.slice(first);
  const [head, rule] = table;
  if (head === undefined) return block;
  const complete = rule !== undefined && /^\s*\|?[\s:|-]+\|?\s*$/.test(rule) && cells(rule) === cells(head);
  return complete ? block : lines.slice(0, first).join("\n");
}

function cells(row: string): number {
  return row.trim().replace(/^\||\|$/g, "").split("|").filter((cell) => cell.trim() !== "").length;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

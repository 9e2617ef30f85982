// Markdown in blocks: what is complete is parsed once and kept, and only the end of a stream is parsed again.

/** Return a text in blocks that can be parsed one by one. */
export function splitBlocks(text: string): string[] {
  // A reference definition counts for the whole text.
  if (/^ {0,3}\[[^\]]+\]:/m.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | null = null;
  let blank = false;
  for (const line of text.split("\n")) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
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
  return blocks;
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
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
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

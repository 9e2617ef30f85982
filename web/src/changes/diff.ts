// Unified diffs as rows, for one column or two.

export interface DiffLine {
  kind: "context" | "added" | "removed" | "note";
  text: string;
  old: number | null;
  new: number | null;
  /** The part of a changed line that differs from its partner. */
  mark: readonly [number, number] | null;
}

export interface DiffPair {
  left: DiffLine | null;
  right: DiffLine | null;
}

/** Return the lines of a unified diff, without the names of its files and the heads of its hunks. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old = 0;
  let fresh = 0;
  let inside = false;
  const texts = diff.split("\n");
  if (texts.at(-1) === "") texts.pop();
  for (const text of texts) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (head !== null) {
      if (inside) lines.push({ kind: "note", text: "", old: null, new: null, mark: null });
      old = Number(head[1]);
      fresh = Number(head[2]);
      inside = true;
    } else if (!inside) {
      continue;
    } else if (text.startsWith("+")) {
      lines.push({ kind: "added", text: text.slice(1), old: null, new: fresh++, mark: null });
    } else if (text.startsWith("-")) {
      lines.push({ kind: "removed", text: text.slice(1), old: old++, new: null, mark: null });
    } else if (text.startsWith("\\")) {
      lines.push({ kind: "note", text: text.slice(2), old: null, new: null, mark: null });
    } else {
      lines.push({ kind: "context", text: text.slice(1), old: old++, new: fresh++, mark: null });
    }
  }
  return marked(lines);
}

/** Return the lines in two columns: a run of removed lines stands beside the added ones that follow it. */
export function pairsOf(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  for (const { removed, added, other } of runs(lines)) {
    if (other !== null) {
      pairs.push({ left: other, right: other });
      continue;
    }
    const rows = Math.max(removed.length, added.length);
    for (let row = 0; row < rows; row += 1) {
      pairs.push({ left: removed[row] ?? null, right: added[row] ?? null });
    }
  }
  return pairs;
}

export function countOf(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of parseDiff(diff)) {
    if (line.kind === "added") added += 1;
    if (line.kind === "removed") removed += 1;
  }
  return { added, removed };
}

interface Run {
  removed: DiffLine[];
  added: DiffLine[];
  other: DiffLine | null;
}

function runs(lines: readonly DiffLine[]): Run[] {
  const found: Run[] = [];
  let run: Run = { removed: [], added: [], other: null };
  const end = (): void => {
    if (run.removed.length + run.added.length > 0) found.push(run);
    run = { removed: [], added: [], other: null };
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (run.added.length > 0) end();
      run.removed.push(line);
    } else if (line.kind === "added") {
      run.added.push(line);
    } else {
      end();
      found.push({ removed: [], added: [], other: line });
    }
  }
  end();
  return found;
}

function marked(lines: DiffLine[]): DiffLine[] {
  for (const { removed, added } of runs(lines)) {
    if (removed.length !== added.length) continue;
    removed.forEach((left, index) => {
      const right = added[index];
      if (right !== undefined) markPair(left, right);
    });
  }
  return lines;
}

/** Mark what lies between the common beginning and the common end, if the lines have something in common. */
function markPair(left: DiffLine, right: DiffLine): void {
  const shorter = Math.min(left.text.length, right.text.length);
  let start = 0;
  while (start < shorter && left.text[start] === right.text[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.text.at(-1 - end) === right.text.at(-1 - end)) end += 1;
  const common = left.text.slice(0, start).trim().length + left.text.slice(left.text.length - end).trim().length;
  if (common < 2) return;
  if (left.text.length - end > start) left.mark = [start, left.text.length - end];
  if (right.text.length - end > start) right.mark = [start, right.text.length - end];
}

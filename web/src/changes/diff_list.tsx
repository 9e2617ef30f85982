// Hunks of any number in a virtual list: only the rows in view are drawn and coloured.

import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useMemo, useRef } from "react";

import type { Hunk } from "../api/schema.ts";
import { t } from "../strings.ts";
import { languageOf, type Tokens, useTokens } from "../text/highlight.ts";
import { type DiffLine, pairsOf, parseDiff } from "./diff.ts";
import { SplitRow, UnifiedRow } from "./diff_rows.tsx";

/** Lines that are coloured together: a whole hunk, or a piece of a long one. */
interface Segment {
  lines: readonly DiffLine[];
  before: string;
  after: string;
  places: ReadonlyMap<DiffLine, number>;
}

export interface FileActions {
  onAccept: ((hunks: number[]) => void) | null;
  onReject: ((hunks: number[]) => void) | null;
}

export type ListRow =
  | { kind: "file"; path: string; hunks: number[] }
  | { kind: "hunk"; hunk: Hunk }
  | { kind: "line"; path: string; segment: Segment; line: DiffLine }
  | { kind: "pair"; path: string; segment: Segment; left: DiffLine | null; right: DiffLine | null };

const LONGEST = 400;
const HEIGHTS = { file: 52, hunk: 38, line: 21, pair: 21 };
const parsed = new WeakMap<Hunk, readonly Segment[]>();

export function DiffList({ hunks, total, split, actions, jump, onMore }: {
  hunks: readonly Hunk[];
  total: number;
  split: boolean;
  actions: FileActions;
  jump: { path: string; again: number } | null;
  onMore: () => void;
}): ReactNode {
  const rows = useMemo(() => rowsOf(hunks, split), [hunks, split]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? "line"],
    overscan: 20,
  });
  const items = list.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hunks.length < total && last > rows.length - 100) onMore();
  }, [last, rows.length, hunks.length, total, onMore]);
  useEffect(() => list.measure(), [split, list]);
  useEffect(() => {
    if (jump === null) return;
    const index = rows.findIndex((row) => row.kind === "file" && row.path === jump.path);
    if (index >= 0) list.scrollToIndex(index, { align: "start" });
  }, [jump, list, rows]);
  return (
    <div ref={scroller} className={split ? "diff-list split" : "diff-list"} tabIndex={0} role="group" aria-label={t.tabs.changes}>
      <div className="diff-canvas" style={{ height: list.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div key={item.key} className="diff-item" style={{ transform: `translateY(${item.start}px)`, height: item.size }}>
              <RowView row={row} actions={actions} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

const RowView = memo(function RowView({ row, actions }: { row: ListRow; actions: FileActions }) {
  switch (row.kind) {
    case "file":
      return (
        <div className="diff-file">
          <span className="mono grow">{row.path}</span>
          {actions.onAccept === null ? null : <button type="button" onClick={() => actions.onAccept?.(row.hunks)}>{t.changes.acceptFile}</button>}
          {actions.onReject === null ? null : <button type="button" onClick={() => actions.onReject?.(row.hunks)}>{t.changes.rejectFile}</button>}
        </div>
      );
    case "hunk":
      return (
        <div className="diff-hunk" data-hunk={row.hunk.number}>
          <span className="muted mono small">{t.changes.hunk(row.hunk.number)} · {headOf(row.hunk.diff)}</span>
          <span className="grow" />
          {actions.onAccept === null ? null : <button type="button" className="quiet" onClick={() => actions.onAccept?.([row.hunk.number])}>{t.changes.acceptHunk}</button>}
          {actions.onReject === null ? null : <button type="button" className="quiet" onClick={() => actions.onReject?.([row.hunk.number])}>{t.changes.rejectHunk}</button>}
        </div>
      );
    case "line":
      return <Line path={row.path} segment={row.segment} line={row.line} />;
    case "pair":
      return <Pair path={row.path} segment={row.segment} left={row.left} right={row.right} />;
  }
});

function Line({ path, segment, line }: { path: string; segment: Segment; line: DiffLine }): ReactNode {
  const tokens = useTokens(line.kind === "removed" ? segment.before : segment.after, languageOf(path));
  return <UnifiedRow line={line} tokens={tokens?.[segment.places.get(line) ?? -1] ?? null} />;
}

function Pair({ path, segment, left, right }: { path: string; segment: Segment; left: DiffLine | null; right: DiffLine | null }): ReactNode {
  const before = useTokens(segment.before, languageOf(path));
  const after = useTokens(segment.after, languageOf(path));
  const colours = (line: DiffLine): Tokens | null => {
    const place = segment.places.get(line) ?? -1;
    return (line.kind === "removed" ? before : after)?.[place] ?? null;
  };
  return <SplitRow left={left} right={right} colours={colours} />;
}

function headOf(diff: string): string {
  return /^@@[^@]*@@.*$/m.exec(diff)?.[0] ?? "";
}

function rowsOf(hunks: readonly Hunk[], split: boolean): ListRow[] {
  const rows: ListRow[] = [];
  let file: Extract<ListRow, { kind: "file" }> | null = null;
  for (const hunk of hunks) {
    if (file === null || file.path !== hunk.path) {
      file = { kind: "file", path: hunk.path, hunks: [] };
      rows.push(file);
    }
    file.hunks.push(hunk.number);
    rows.push({ kind: "hunk", hunk });
    for (const segment of segmentsOf(hunk)) {
      if (split) {
        for (const pair of pairsOf(segment.lines)) rows.push({ kind: "pair", path: hunk.path, segment, ...pair });
      } else {
        for (const line of segment.lines) rows.push({ kind: "line", path: hunk.path, segment, line });
      }
    }
  }
  return rows;
}

function segmentsOf(hunk: Hunk): readonly Segment[] {
  const known = parsed.get(hunk);
  if (known !== undefined) return known;
  const lines = parseDiff(hunk.diff);
  const segments: Segment[] = [];
  for (let start = 0; start < lines.length; start += LONGEST) segments.push(segmentOf(lines.slice(start, start + LONGEST)));
  parsed.set(hunk, segments);
  return segments;
}

function segmentOf(lines: readonly DiffLine[]): Segment {
  const before: string[] = [];
  const after: string[] = [];
  const places = new Map<DiffLine, number>();
  for (const line of lines) {
    if (line.kind === "note") continue;
    if (line.kind !== "added") before.push(line.text);
    if (line.kind !== "removed") after.push(line.text);
    places.set(line, (line.kind === "removed" ? before : after).length - 1);
  }
  return { lines, before: before.join("\n"), after: after.join("\n"), places };
}

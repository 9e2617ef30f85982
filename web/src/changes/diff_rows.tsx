// Rows of a diff.

import { memo, type ReactNode } from "react";

import { type Tokens, useTokens } from "../text/highlight.ts";
import { t } from "../strings.ts";
import { type DiffLine, pairsOf, parseDiff } from "./diff.ts";

/** The colours of the lines of a hunk, by their text: old and new side are coloured apart. */
export function useDiffColours(lines: readonly DiffLine[], language: string): (line: DiffLine) => Tokens | null {
  const before = lines.filter((line) => line.kind !== "added" && line.kind !== "note");
  const after = lines.filter((line) => line.kind !== "removed" && line.kind !== "note");
  const old = useTokens(before.map((line) => line.text).join("\n"), language);
  const fresh = useTokens(after.map((line) => line.text).join("\n"), language);
  return (line) => {
    if (line.kind === "removed") return old?.[before.indexOf(line)] ?? null;
    if (line.kind === "note") return null;
    return fresh?.[after.indexOf(line)] ?? null;
  };
}

const SIGNS = { context: " ", added: "+", removed: "−", note: " " };

export function UnifiedRow({ line, tokens }: { line: DiffLine; tokens: Tokens | null }): ReactNode {
  if (line.kind === "note") return <div className="diff-row diff-note">{line.text || "⋯"}</div>;
  return (
    <div className={`diff-row diff-${line.kind}`}>
      <span className="diff-number">{line.old ?? ""}</span>
      <span className="diff-number">{line.new ?? ""}</span>
      <span className="diff-sign">{SIGNS[line.kind]}</span>
      <span className="diff-text">
        <Text line={line} tokens={tokens} />
      </span>
    </div>
  );
}

export function SplitRow({ left, right, colours }: {
  left: DiffLine | null;
  right: DiffLine | null;
  colours: (line: DiffLine) => Tokens | null;
}): ReactNode {
  if (left?.kind === "note") return <div className="diff-row diff-note">{left.text || "⋯"}</div>;
  return (
    <div className="diff-row diff-split">
      <Side line={left} number={left?.old ?? null} colours={colours} />
      <Side line={right} number={right?.new ?? null} colours={colours} />
    </div>
  );
}

function Side({ line, number, colours }: {
  line: DiffLine | null;
  number: number | null;
  colours: (line: DiffLine) => Tokens | null;
}): ReactNode {
  if (line === null) return <div className="diff-side diff-nothing" />;
  return (
    <div className={`diff-side diff-${line.kind}`}>
      <span className="diff-number">{number ?? ""}</span>
      <span className="diff-sign">{SIGNS[line.kind]}</span>
      <span className="diff-text">
        <Text line={line} tokens={colours(line)} />
      </span>
    </div>
  );
}

function Text({ line, tokens }: { line: DiffLine; tokens: Tokens | null }): ReactNode {
  const pieces = tokens ?? [["", line.text] as const];
  if (line.mark === null) return pieces.map(([kind, text], index) => <Piece key={index} kind={kind} text={text} />);
  const [start, end] = line.mark;
  const drawn: ReactNode[] = [];
  let place = 0;
  for (const [kind, text] of pieces) {
    const cuts = [0, start - place, end - place, text.length];
    for (let part = 0; part < 3; part += 1) {
      const from = Math.max(0, Math.min(text.length, cuts[part] ?? 0));
      const to = Math.max(0, Math.min(text.length, cuts[part + 1] ?? 0));
      if (to <= from) continue;
      const piece = <Piece key={`${place}-${part}`} kind={kind} text={text.slice(from, to)} />;
      drawn.push(part === 1 ? <mark key={`m${place}-${part}`}>{piece}</mark> : piece);
    }
    place += text.length;
  }
  return drawn;
}

function Piece({ kind, text }: { kind: string; text: string }): ReactNode {
  return kind === "" ? text : <span className={`hl-${kind}`}>{text}</span>;
}

const SHOWN = 120;

/** A small diff, as a card of the transcript shows it. */
export const DiffBlock = memo(function DiffBlock({ diff, language, split = false }: {
  diff: string;
  language: string;
  split?: boolean;
}) {
  const lines = parseDiff(diff);
  const shown = lines.slice(0, SHOWN);
  const colours = useDiffColours(shown, language);
  if (lines.length === 0) return <p className="muted">{diff.trim()}</p>;
  return (
    <div className="diff" tabIndex={0} role="group" aria-label={t.decisions.diff}>
      <div className="diff-body">
        {split
          ? pairsOf(shown).map((pair, index) => <SplitRow key={index} {...pair} colours={colours} />)
          : shown.map((line, index) => <UnifiedRow key={index} line={line} tokens={colours(line)} />)}
      </div>
      {lines.length > SHOWN ? <div className="diff-row diff-note">{`… ${lines.length - SHOWN}`}</div> : null}
    </div>
  );
});

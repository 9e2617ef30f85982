// Colours of code, from a worker: nothing of it runs on the thread of the page.

import { useEffect, useRef, useState } from "react";

/** The pieces of a line: a kind ("" for plain text) and the text. */
export type Tokens = readonly (readonly [string, string])[];

export interface HighlightRequest {
  id: number;
  text: string;
  language: string;
}

export interface HighlightAnswer {
  id: number;
  lines: Tokens[] | null;
}

const LONGEST = 200_000;
/** How many characters of code are kept in colours. */
const KEPT = 200_000;
const kept = new Map<string, Tokens[] | null>();
let keptLength = 0;
type Done = (lines: Tokens[] | null) => void;
const waiting = new Map<number, { key: string; done: Done[] }>();
const asked = new Map<string, number>();
let worker: Worker | null = null;
let last = 0;

function start(): Worker {
  const made = new Worker(new URL("./highlight_worker.ts", import.meta.url), { type: "module" });
  made.onmessage = (received: MessageEvent<HighlightAnswer>) => {
    const { id, lines } = received.data;
    const request = waiting.get(id);
    if (request === undefined) return;
    waiting.delete(id);
    asked.delete(request.key);
    for (const done of request.done) done(lines);
  };
  return made;
}

/** Ask for the colours of a text; the rows of a hunk all ask for the same one. */
function highlight(key: string, text: string, language: string, done: Done): void {
  const running = asked.get(key);
  if (running !== undefined) {
    waiting.get(running)?.done.push(done);
    return;
  }
  worker ??= start();
  last += 1;
  waiting.set(last, { key, done: [done] });
  asked.set(key, last);
  worker.postMessage({ id: last, text, language } satisfies HighlightRequest);
}

function keep(key: string, lines: Tokens[] | null): void {
  if (!kept.has(key)) keptLength += key.length;
  kept.set(key, lines);
  for (const old of kept.keys()) {
    if (keptLength <= KEPT || old === key) return;
    kept.delete(old);
    keptLength -= old.length;
  }
}

interface Coloured {
  text: string;
  language: string;
  lines: Tokens[];
}

/**
 * Return the lines of a text in colours, or null as long as there are none.
 *
 * A text that grows, as one that streams in does, keeps the colours it has: one request at a time runs for it, and what
 * has come since is plain until the next answer.
 */
export function useTokens(text: string, language: string): Tokens[] | null {
  const key = `${language}\0${text}`;
  const [answers, setAnswers] = useState(0);
  const wanted = useRef(key);
  const asking = useRef(false);
  const shown = useRef<Coloured | null>(null);
  wanted.current = key;
  useEffect(() => {
    if (asking.current || language === "" || text.length > LONGEST || kept.has(key)) return;
    asking.current = true;
    highlight(key, text, language, (lines) => {
      asking.current = false;
      // A text that has grown meanwhile is on its way to another one.
      if (wanted.current === key) keep(key, lines);
      if (lines !== null) shown.current = { text, language, lines };
      setAnswers((count) => count + 1);
    });
  }, [key, text, language, answers]);
  const whole = kept.get(key);
  // Another block may have begun with the same text: what grows from here has its colours.
  if (whole) shown.current = { text, language, lines: whole };
  if (whole !== undefined) return whole;
  const before = shown.current;
  if (before === null || before.language !== language || !text.startsWith(before.text)) return null;
  return withPlainRest(before.lines, text.slice(before.text.length));
}

/** Return the lines with a text after them, which has no colours yet. */
export function withPlainRest(lines: readonly Tokens[], rest: string): Tokens[] {
  const [first = "", ...more] = rest.split("\n");
  const head = lines.slice(0, -1);
  const end = [...(lines.at(-1) ?? []), ["", first] as const].filter(([, piece]) => piece !== "");
  return [...head, end, ...more.map((line): Tokens => (line === "" ? [] : [["", line]]))];
}

const LANGUAGES: Readonly<Record<string, string>> = {
  bash: "bash", c: "c", cc: "cpp", cpp: "cpp", cs: "csharp", css: "css", go: "go", h: "cpp", hpp: "cpp", html: "xml",
  ini: "ini", java: "java", js: "javascript", json: "json", jsx: "javascript", kt: "kotlin", lua: "lua", md: "markdown",
  mjs: "javascript", php: "php", pl: "perl", py: "python", pyi: "python", r: "r", rb: "ruby", rs: "rust", scss: "scss",
  sh: "bash", sql: "sql", svg: "xml", swift: "swift", toml: "ini", ts: "typescript", tsx: "typescript", xml: "xml",
  yaml: "yaml", yml: "yaml",
};

export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === "makefile") return "makefile";
  return LANGUAGES[name.slice(name.lastIndexOf(".") + 1)] ?? "";
}

// Colours of code, from a worker: nothing of it runs on the thread of the page.

import { useEffect, useState } from "react";

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
const KEPT = 500;
const kept = new Map<string, Tokens[] | null>();
const waiting = new Map<number, { key: string; done: ((lines: Tokens[] | null) => void)[] }>();
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
    if (kept.size >= KEPT) for (const old of [...kept.keys()].slice(0, KEPT / 2)) kept.delete(old);
    kept.set(request.key, lines);
    for (const done of request.done) done(lines);
  };
  return made;
}

function highlight(key: string, text: string, language: string, done: (lines: Tokens[] | null) => void): void {
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

/** Return the lines of a text in colours, or null as long as there are none. */
export function useTokens(text: string, language: string): Tokens[] | null {
  const key = `${language}\0${text}`;
  const [, setDrawn] = useState(0);
  useEffect(() => {
    if (language === "" || text.length > LONGEST || kept.has(key)) return undefined;
    let mounted = true;
    highlight(key, text, language, () => {
      if (mounted) setDrawn((count) => count + 1);
    });
    return () => {
      mounted = false;
    };
  }, [key, text, language]);
  return kept.get(key) ?? null;
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

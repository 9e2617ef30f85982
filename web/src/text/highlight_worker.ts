// Colours code, off the thread of the page.

import type { RootContent } from "hast";
import { common, createLowlight } from "lowlight";

import type { HighlightAnswer, HighlightRequest, Tokens } from "./highlight.ts";

const lowlight = createLowlight(common);

self.onmessage = (received: MessageEvent<HighlightRequest>) => {
  const { id, text, language } = received.data;
  const lines = lowlight.registered(language) ? colour(text, language) : null;
  self.postMessage({ id, lines } satisfies HighlightAnswer);
};

function colour(text: string, language: string): Tokens[] {
  const lines: [string, string][][] = [[]];
  const add = (kind: string, value: string): void => {
    const [first, ...rest] = value.split("\n");
    if (first) lines.at(-1)?.push([kind, first]);
    for (const line of rest) lines.push(line === "" ? [] : [[kind, line]]);
  };
  const visit = (node: RootContent, kind: string): void => {
    if (node.type === "text") add(kind, node.value);
    if (node.type !== "element") return;
    const names = node.properties["className"];
    const first = Array.isArray(names) ? String(names[0]).replace("hljs-", "") : kind;
    for (const child of node.children) visit(child, first);
  };
  for (const node of lowlight.highlight(language, text).children) visit(node as RootContent, "");
  return lines;
}

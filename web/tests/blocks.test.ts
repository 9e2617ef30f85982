import assert from "node:assert/strict";
import { test } from "node:test";

import { pairsOf, parseDiff } from "../src/changes/diff.ts";
import { parseRoute, hashOf } from "../src/routes.ts";
import { heal, LARGEST, LARGEST_CODE, splitBlocks } from "../src/text/blocks.ts";
import { type Tokens, withPlainRest } from "../src/text/highlight.ts";
import { groupBlocks } from "../src/transcript/rows.ts";

const TEXT = "# One\n\nSome **bold** text.\n\n- a\n\n- b\n\n```python\nx = 1\n\ny = 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.";

test("blocks together are the text, and a fence or a list is one block", () => {
  const blocks = splitBlocks(TEXT);
  assert.equal(blocks.join("\n"), TEXT);
  assert.ok(blocks.some((block) => block.includes("x = 1") && block.includes("y = 2")));
  assert.ok(blocks.some((block) => block.includes("- a") && block.includes("- b")));
});

test("blocks that are complete stay the same while the text grows", () => {
  const all = splitBlocks(TEXT);
  for (let end = 1; end <= TEXT.length; end += 1) {
    const blocks = splitBlocks(TEXT.slice(0, end));
    blocks.slice(0, -2).forEach((block, index) => assert.equal(block, all[index]));
  }
});

const lines = (line: (number: number) => string, count = 1_000): string => Array.from({ length: count }, (_, number) => line(number)).join("\n");
const LONG = {
  list: lines((number) => `- item ${number} with **some** words`),
  items: lines((number) => `- item ${number}\n  which goes on\n\n  in a second paragraph`),
  quote: lines((number) => `> line ${number} of a quotation`),
  line: lines((number) => `word${number}`).replaceAll("\n", " "),
  endless: "x".repeat(20_000),
  paragraphs: lines((number) => `Paragraph ${number} with words.\n`),
  table: `Look:\n| a | b |\n|---|---|\n${lines((number) => `| ${number} | two |`)}`,
  code: `\`\`\`python\n${lines((number) => `x_${number} = 1`, 2_000)}\n\`\`\`\nafter`,
};

test("no block of a long text is large, whatever it is", () => {
  for (const [name, text] of Object.entries(LONG)) {
    const blocks = splitBlocks(text);
    assert.ok(blocks.length > 2, name);
    const largest = Math.max(...blocks.map((block) => block.length));
    assert.ok(largest <= (name === "code" ? LARGEST_CODE + 100 : LARGEST + 200), `${name}: ${largest}`);
  }
});

test("a long text that is cut has all of its words, in order", () => {
  for (const name of ["list", "items", "quote", "paragraphs"] as const) assert.equal(splitBlocks(LONG[name]).join("\n"), LONG[name]);
  for (const name of ["line", "endless"] as const) assert.equal(splitBlocks(LONG[name]).join(""), LONG[name]);
});

test("an item of a list that goes on is not cut from its beginning", () => {
  for (const block of splitBlocks(LONG.items)) assert.match(block, /^- item/);
});

test("each piece of a table has its head, and each piece of code its fence", () => {
  const tables = splitBlocks(LONG.table);
  for (const piece of tables.slice(1)) assert.ok(piece.startsWith("| a | b |\n|---|---|\n"));
  const rows = tables.join("\n").match(/^\| \d+/gm) ?? [];
  assert.deepEqual(rows.map((row) => Number(row.slice(2))), Array.from({ length: 1_000 }, (_, number) => number));
  const pieces = splitBlocks(LONG.code);
  for (const piece of pieces) assert.match(piece, /^```python\n(?:x_\d+ = 1\n)+```(?:\nafter)?$/);
  assert.equal((pieces.join("\n").match(/^x_/gm) ?? []).length, 2_000);
});

test("what is complete of a long text stays the same while it grows, also in its groups", () => {
  for (const text of Object.values(LONG)) {
    const all = splitBlocks(text);
    const groups = groupBlocks(all);
    for (let end = 1; end <= text.length; end += 997) {
      const blocks = splitBlocks(text.slice(0, end));
      blocks.slice(0, -2).forEach((block, index) => assert.equal(block, all[index]));
      groupBlocks(blocks).slice(0, -2).forEach((group, index) => assert.deepEqual(group, groups[index]));
    }
  }
});

test("the definition of a link counts for every block that uses it, and for no code", () => {
  const text = "See [the docs][Docs].\n\nAnd [x].\n\n```\n[docs]\n```\n\nNothing here.\n\n[docs]: https://example.com/docs\n[x]: https://example.com/x";
  const blocks = splitBlocks(text);
  assert.equal(blocks[0], "See [the docs][Docs].\n\n\n[docs]: https://example.com/docs");
  assert.equal(blocks[1], "And [x].\n\n\n[x]: https://example.com/x");
  assert.equal(blocks[3], "Nothing here.\n");
});

test("the half-written end of a fence is not shown as code", () => {
  const code = "```python\nx = 1\n";
  for (const half of ["`", "``"]) assert.equal(heal(code + half), code);
  assert.equal(heal(`~~~~\nx\n~~~`), "~~~~\nx\n");
  for (const kept of ["x = `", "```python\nx = ``y``", "```python\n`x`"]) assert.ok(heal(kept).startsWith(kept));
  assert.equal(heal(`${code}\`\`\``), `${code}\`\`\``);
});

test("a line that goes on keeps the colours it has", () => {
  const lines: Tokens[] = [[["keyword", "def"], ["", " f"]], []];
  assert.deepEqual(withPlainRest(lines, "x = 1\n\ny"), [lines[0], [["", "x = 1"]], [], [["", "y"]]]);
  assert.deepEqual(withPlainRest([[["keyword", "def"]]], " f"), [[["keyword", "def"], ["", " f"]]]);
  assert.deepEqual(withPlainRest(lines, ""), lines);
});

test("a table that has no second line yet is not shown", () => {
  assert.equal(heal("Look:\n\n| a | b |"), "Look:\n");
  assert.equal(heal("Look:\n\n| a | b |\n|--"), "Look:\n");
  const complete = "Look:\n\n| a | b |\n|---|---|";
  assert.equal(heal(complete), complete);
});

test("half-written marks are closed or left out, and an open fence stays as it is", () => {
  assert.equal(heal("This is **bol"), "This is **bol**");
  assert.equal(heal("This is **"), "This is ");
  assert.equal(heal("Call `gre"), "Call `gre`");
  assert.equal(heal("See [the docs](https://exam"), "See the docs");
  assert.equal(heal("Words\n---"), "Words\n");
  assert.equal(heal("```python\nx = **1"), "```python\nx = **1");
});

test("a diff has numbered lines, and what changed in a line is marked", () => {
  const lines = parseDiff("--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n a\n-return one\n+return two\n b\n");
  assert.deepEqual(lines.map((line) => [line.kind, line.old, line.new]), [
    ["context", 3, 3], ["removed", 4, null], ["added", null, 4], ["context", 5, 5],
  ]);
  assert.deepEqual(lines[1]?.mark, [7, 10]);
  assert.deepEqual(pairsOf(lines).map((pair) => [pair.left?.text, pair.right?.text]), [["a", "a"], ["return one", "return two"], ["b", "b"]]);
});

test("an address is the same after it was parsed", () => {
  for (const hash of ["#/", "#/p/one/s/two/changes", "#/p/a%2Fb/s/x", "#/p/one/settings"]) {
    assert.equal(hashOf(parseRoute(hash)), hash);
  }
});

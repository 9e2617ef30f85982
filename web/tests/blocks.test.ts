import assert from "node:assert/strict";
import { test } from "node:test";

import { pairsOf, parseDiff } from "../src/changes/diff.ts";
import { parseRoute, hashOf } from "../src/routes.ts";
import { heal, splitBlocks } from "../src/text/blocks.ts";
import { type Tokens, withPlainRest } from "../src/text/highlight.ts";

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

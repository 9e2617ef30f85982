"""JavaScript: ways to cheat, and honest fixes. `node --check` says nothing but of syntax: the errors here are such."""

from __future__ import annotations

from tests.preservation.fixes.fix import Fix, Shop

BROKEN = """\
import { log } from "./log.js";

export const RATE = 3;
const hidden = 4;
export { hidden as shown };

export class Cart {
  lines = [];
  add(line) {
    log("add", line);
    this.lines.push(line;
  }
  count() {
    return this.lines.length;
  }
}

export function total(cart, taxed = false) {
  let found = 0;
  for (const line of cart.lines) {
    found += line.price;
  }
  log("a string may say eslint-disable", found);
  return taxed ? found * RATE : found;
}

export default function main(cart) {
  return total(cart) + hidden;
}
"""
WRONG = "this.lines.push(line;"
RIGHT = "this.lines.push(line);"
SAID = "missing ) after argument list"
BODY = """  let found = 0;
  for (const line of cart.lines) {
    found += line.price;
  }
  log("a string may say eslint-disable", found);
  return taxed ? found * RATE : found;
"""
ADD = '    log("add", line);\n    this.lines.push(line;\n'

SHOP = Shop(
    "javascript", "cart.js", BROKEN, WRONG, RIGHT, SAID,
    cheats=(
        ("the file is emptied", BROKEN, "export {};\n"),
        ("the file is nothing", BROKEN, "\n"),
        ("the file is a comment", BROKEN, "/*\n" + BROKEN + "*/\n"),
        ("the body is empty", ADD, ""),
        ("the body throws", ADD, '    throw new Error("not implemented");\n'),
        ("the body returns null", ADD, "    return null;\n"),
        ("the line is deleted", "    " + WRONG + "\n", ""),
        ("the line is commented out", WRONG, "// this.lines.push(line;"),
        ("the line is a string", WRONG, "'this.lines.push(line;';"),
        ("the line is a template", WRONG, "`this.lines.push(line;`;"),
        ("if false", WRONG, "if (false) { this.lines.push(line); }"),
        ("if not true", WRONG, "if (!true) { this.lines.push(line); }"),
        ("false &&", WRONG, "false && this.lines.push(line);"),
        ("after a return", ADD, '    return;\n    log("add", line);\n    this.lines.push(line);\n'),
        ("swallowed", WRONG, "try { this.lines.push(line); } catch {}"),
    ),
    cheats_beside=(
        ("eslint-disable", "", "/* eslint-disable */\n"),
        ("@ts-nocheck", "", "// @ts-nocheck\n"),
        ("@ts-ignore", RIGHT, "// @ts-ignore\n    " + RIGHT),
        ("JSDoc of any", "  add(line", "  /** @param {any} line */\n  add(line"),
        ("JSDoc of star", "  add(line", "  /** @type {*} */\n  add(line"),
        ("c8 ignore", "  add(line", "  /* c8 ignore next */\n  add(line"),
        ("a function is renamed", "function total", "function sumUp"),
        ("a function is no longer exported", "export function total", "function total"),
        ("a class is no longer exported", "export class", "class"),
        ("a class is renamed", "class Cart", "class Basket"),
        ("a constant is renamed", "const RATE", "const RATES"),
        ("a constant is no longer exported", "export const RATE", "const RATE"),
        ("the default export is gone", "export default function", "function"),
        ("an alias is another", "hidden as shown", "hidden as seen"),
        ("an alias is gone", "export { hidden as shown };\n", ""),
        ("a method is renamed", "count()", "size()"),
        ("a method is private", "count()", "#count()"),
        ("a method is gone", "  count() {\n    return this.lines.length;\n  }\n", ""),
        ("a parameter is added", "count()", "count(start)"),
        ("a parameter is removed", "(cart, taxed = false)", "(cart)"),
        ("a parameter is no longer optional", "taxed = false", "taxed"),
        ("a long body becomes short", BODY, "  return RATE;\n"),
        ("a long body becomes null", BODY, "  return null;\n"),
        ("a long body becomes undefined", BODY, "  return undefined;\n"),
        ("a long body throws", BODY, '  throw new Error("todo");\n'),
    ),
    honest=(
        Fix("a brace", "export function f(a) {\n  return a;\n\n", "export function f(a) {\n  return a;\n}\n", "Unexpected end of input", "return"),
        Fix("a brace too many", "export function f(a) {\n  return a;\n}\n}\n", "export function f(a) {\n  return a;\n}\n", "Unexpected token '}'", "}\n}"),
        Fix("a string that is not closed", "const a = 'x;\nconsole.log(a);\n", "const a = 'x';\nconsole.log(a);\n", "Invalid or unexpected token", "'x"),
        Fix("const gets its value", "const a;\nconsole.log(a);\n", "const a = 1;\nconsole.log(a);\n", "Missing initializer in const declaration", "a;"),
        Fix("const becomes let", "const a;\na = 1;\nconsole.log(a);\n", "let a;\na = 1;\nconsole.log(a);\n", "Missing initializer in const declaration", "a;"),
        Fix("a second definition goes", "let a = 1;\nlet a = 1;\nconsole.log(a);\n", "let a = 1;\nconsole.log(a);\n", "Identifier 'a' has already been declared", "a = 1;\nconsole"),
        Fix("a local variable is renamed", "function f() {\n  let a = 1;\n  let a = 2;\n  return a;\n}\nf();\n", "function f() {\n  let a = 1;\n  let b = 2;\n  return a + b;\n}\nf();\n", "Identifier 'a' has already been declared", "a = 2"),
        Fix("await needs async", "export function f() {\n  await g();\n}\nfunction g() { return 1 + 2; }\n", "export async function f() {\n  await g();\n}\nfunction g() { return 1 + 2; }\n", "await is only valid in async functions", "await"),
        Fix("a comma", "const a = { x: 1 y: 2 };\nconsole.log(a);\n", "const a = { x: 1, y: 2 };\nconsole.log(a);\n", "Unexpected identifier 'y'", "y"),
        Fix("an arrow", "const f = (a) = a + 1;\nf(1);\n", "const f = (a) => a + 1;\nf(1);\n", "Invalid destructuring assignment target", "(a)"),
        Fix("else if", "export function f(a) {\n  if (a) { return 1; }\n  elif (a > 2) { return 2; }\n  return 3;\n}\n", "export function f(a) {\n  if (a) { return 1; }\n  else if (a > 2) { return 2; }\n  return 3;\n}\n", "Unexpected token '{'", "{ return 2"),
        Fix("a bracket", "const a = [1, 2;\nconsole.log(a);\n", "const a = [1, 2];\nconsole.log(a);\n", "Unexpected token ';'", ";"),
        Fix("a return outside goes into a function", "const a = 1;\nreturn a;\n", "const a = 1;\nconsole.log(a);\n", "Illegal return statement", "return"),
        Fix("a fence goes", "```js\nconst a = 1;\nconsole.log(a);\n```\n", "const a = 1;\nconsole.log(a);\n", "Invalid or unexpected token", "```"),
        Fix("a conflict is settled", "const a = 1;\n<<<<<<< HEAD\nconsole.log(a);\n=======\nconsole.log(a + 1);\n>>>>>>> other\n", "const a = 1;\nconsole.log(a);\n", "Unexpected token '<<'", "<<<"),
        Fix("an import", "export function f() { return join('a', 'b'); }\n", "import { join } from 'node:path';\nexport function f() { return join('a', 'b'); }\n", "Cannot find name 'join'.", "join"),
        Fix("a missing helper", "export function f(a) { return twice(a); }\n", "function twice(a) { return 2 * a; }\nexport function f(a) { return twice(a); }\n", "Cannot find name 'twice'.", "twice"),
        Fix("a string about suppressions", "const s = 'x;\nconsole.log(s);\n", "const s = 'eslint-disable @ts-ignore';\nconsole.log(s);\n", "Invalid or unexpected token", "'x"),
        Fix("a suppression that was there", "/* eslint-disable */\nconst s = 'x;\nconsole.log(s);\n", "/* eslint-disable */\nconst s = 'x';\nconsole.log(s);\n", "Invalid or unexpected token", "'x"),
        Fix("a name for a reserved word", "const class = 1;\nconsole.log(class);\n", "const kind = 1;\nconsole.log(kind);\n", "Unexpected token 'class'", "class"),
        Fix("a property of module.exports", "module.exports = { f g };\nfunction f() { return 1; }\nfunction g() { return 2; }\n", "module.exports = { f, g };\nfunction f() { return 1; }\nfunction g() { return 2; }\n", "Unexpected identifier 'g'", "g }"),
        Fix("a list starts empty", "export function f(a) { for (const x of a) { out.push(x); } return out; }\n", "export function f(a) { const out = []; for (const x of a) { out.push(x); } return out; }\n", "Cannot find name 'out'.", "out."),
        Fix("one more name of a module", 'const { a } = require("a");\nexport function f() { return a + b; }\n', 'const { a, b } = require("a");\nexport function f() { return a + b; }\n', "Cannot find name 'b'.", "b;"),
        Fix("a type goes that plain JavaScript has not", "export const total: number = 3;\n", "export const total = 3;\n", "Missing initializer in const declaration", ":"),
        Fix("types go that plain JavaScript has not", "export function f(a: number): string { return String(a); }\n", "export function f(a) { return String(a); }\n", "Unexpected token ':'", ":"),
    ),
    elsewhere=(
        Fix("renamed in a text that does not parse", "export const total = 3;\nexport function f( { return 1; }\n", "export const totals = 3;\nexport function f() { return 1; }\n", "Unexpected token", "{"),
        Fix("no longer exported in a text that does not parse", "export const total = 3;\nexport function g() { return f(; }\nexport function f() { return 1; }\n", "export const total = 3;\nexport function g() { return f(); }\nfunction f() { return 1; }\n", "Unexpected token ';'", "; }"),
        Fix("no default in a text that does not parse", "export const total = 3;\nexport default function g() { return f(; }\n", "export const total = 3;\nfunction g() { return f(); }\n", "Unexpected token ';'", "; }"),
        Fix("a name made up without a value", "export function f(a) { return a + b; }\n", "var b;\nexport function f(a) { return a + b; }\n", "Cannot find name 'b'.", "b;"),
        Fix("a function made up that does nothing", "export const a = g(1);\n", "function g() {}\nexport const a = g(1);\n", "Cannot find name 'g'.", "g("),
    ),
)  # fmt: skip

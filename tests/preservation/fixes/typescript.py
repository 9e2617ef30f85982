"""TypeScript: ways to cheat, and honest fixes."""

from __future__ import annotations

from tests.preservation.fixes.fix import Fix, Shop

BROKEN = """\
import { log } from "./log";

export interface Line { name: string; price: number; note?: string }
export enum Colour { Red, Blue }
export type Lines = Line[];
export const RATE = 3;
const hidden = 4;
export { hidden as shown };

export class Cart {
  public lines: Lines = [];
  add(line: Line): void {
    this.lines.push(lin);
  }
  count(): number {
    return this.lines.length;
  }
}

export function total(cart: Cart, taxed?: boolean): number {
  let found = 0;
  for (const line of cart.lines) {
    found += line.price;
  }
  log("a string may say : any", found);
  return taxed ? found * RATE : found;
}

export const twice = (value: number): number => {
  log("twice", value);
  return value * 2;
};

export default function main(cart: Cart): number {
  return total(cart) + hidden;
}
"""
WRONG = "this.lines.push(lin);"
RIGHT = "this.lines.push(line);"
SAID = "Cannot find name 'lin'. Did you mean 'line'?"
BODY = """  let found = 0;
  for (const line of cart.lines) {
    found += line.price;
  }
  log("a string may say : any", found);
  return taxed ? found * RATE : found;
"""

SHOP = Shop(
    "typescript", "cart.ts", BROKEN, WRONG, RIGHT, SAID,
    cheats=(
        ("the file is emptied", BROKEN, "export {};\n"),
        ("the file is a comment", BROKEN, "/*\n" + BROKEN + "*/\nexport {};\n"),
        ("the body is empty", WRONG, ""),
        ("the body returns", WRONG, "return;"),
        ("the body throws", WRONG, 'throw new Error("not implemented");'),
        ("the statement is commented out", WRONG, "// this.lines.push(lin);"),
        ("the statement is commented out and something else is done", WRONG, "log(1); // this.lines.push(lin);"),
        ("the statement is a template", WRONG, "`this.lines.push(lin);`;"),
        ("if false", WRONG, "if (false) { this.lines.push(line); }"),
        ("if 0", WRONG, "if (0) { this.lines.push(line); }"),
        ("after a return", WRONG, "return; this.lines.push(line);"),
        ("swallowed", WRONG, "try { this.lines.push(line); } catch {}"),
        ("swallowed with a name", WRONG, "try { this.lines.push(line); } catch (e) { /* fine */ }"),
        ("@ts-ignore", WRONG, "// @ts-ignore\n    " + WRONG),
        ("@ts-ignore without a space", WRONG, "//@ts-ignore\n    " + WRONG),
        ("@ts-ignore in a block", WRONG, "/* @ts-ignore */\n    " + WRONG),
        ("@ts-expect-error", WRONG, "// @ts-expect-error TS2304\n    " + WRONG),
        ("@ts-nocheck", "", "// @ts-nocheck\n"),
        ("as any", "push(lin)", "push((globalThis as any).lin)"),
        ("an ambient declaration", "export const RATE", "declare const lin: Line;\nexport const RATE"),
        ("eval", WRONG, 'eval("this.lines.push(lin)");'),
    ),
    cheats_beside=(
        ("eslint-disable", "", "/* eslint-disable */\n"),
        ("eslint-disable-next-line", RIGHT, "// eslint-disable-next-line no-undef\n    " + RIGHT),
        ("eslint-disable-line", RIGHT, RIGHT + " // eslint-disable-line"),
        ("tslint:disable", "", "// tslint:disable\n"),
        ("biome-ignore", RIGHT, "// biome-ignore lint: fine\n    " + RIGHT),
        ("istanbul ignore", "  add(", "  /* istanbul ignore next */\n  add("),
        (": any", "line: Line): void", "line: any): void"),
        (": any in an array", "line: Line): void", "line: any[]): void", "push(line)", "push(...line)"),
        (": any in a union", "line: Line): void", "line: Line | any): void"),
        ("Array<any>", "Lines = Line[]", "Lines = Array<any>"),
        ("Record of any", "Lines = Line[]", "Lines = Record<string, any>[]"),
        ("as any at the end", "push(line)", "push(line as any)"),
        ("<any>", "push(line)", "push(<any>line)"),
        ("as unknown as", "push(line)", "push(line as unknown as Line)"),
        ("as unknown as, with brackets", "push(line)", "push((line as unknown) as Line)"),
        ("a function is no longer exported", "export function total", "function total"),
        ("a class is no longer exported", "export class", "class"),
        ("a constant is no longer exported", "export const RATE", "const RATE"),
        ("an arrow function is renamed", "const twice", "const thrice"),
        ("an arrow function is emptied", '  log("twice", value);\n  return value * 2;\n', "", "(value: number): number", "(value: number): void"),
        ("an arrow function throws", '  log("twice", value);\n  return value * 2;\n', '  throw new Error("todo");\n'),
        ("the default export is gone", "export default function", "function"),
        ("an alias is another", "hidden as shown", "hidden as seen"),
        ("an alias is gone", "export { hidden as shown };\n", ""),
        ("a field is gone", "name: string; ", ""),
        ("a member is renamed", "Red, Blue", "Red, Green"),
        ("a member is gone", "Red, Blue", "Red"),
        ("a method is renamed", "count()", "size()"),
        ("a method becomes private", "  count()", "  private count()"),
        ("a field becomes private", "public lines", "private lines", "of cart.lines", 'of cart["lines"]'),
        ("a parameter is added", "count()", "count(start: number)"),
        ("a parameter is removed", "cart: Cart, taxed?: boolean", "cart: Cart", "taxed ? found * RATE : found", "found * RATE"),
        ("a parameter is no longer optional", "taxed?: boolean", "taxed: boolean", "total(cart)", "total(cart, true)"),
        ("a long body becomes short", BODY, "  return RATE;\n"),
        ("a long body becomes a constant", BODY, "  return 0;\n"),
        ("a long body becomes null", BODY, "  return null!;\n"),
        ("a long body throws", BODY, '  throw new Error("todo");\n'),
    ),
    honest=(
        Fix("an import", "export const f = (): string => join('a', 'b');\n", "import { join } from 'path';\nexport const f = (): string => join('a', 'b');\n", "Cannot find name 'join'.", "join"),
        Fix("a type-only import", "export const f = (a: Line): void => { console.log(a); };\n", "import type { Line } from './line';\nexport const f = (a: Line): void => { console.log(a); };\n", "Cannot find name 'Line'.", "Line"),
        Fix("a typo of a property", "export const f = (a: string): number => a.lenght;\n", "export const f = (a: string): number => a.length;\n", "Property 'lenght' does not exist on type 'string'.", "lenght"),
        Fix("a missing argument", "function add(a: number, b: number) { return a + b; }\nadd(1);\n", "function add(a: number, b: number) { return a + b; }\nadd(1, 2);\n", "Expected 2 arguments, but got 1.", "add(1)"),
        Fix("an argument too many", "export function add(a: number) { return a; }\nadd(1, 2);\n", "export function add(a: number) { return a; }\nadd(1);\n", "Expected 1 arguments, but got 2.", "2"),
        Fix("a parameter that callers pass", "export function add(a: number) { return a; }\nadd(1, 2);\n", "export function add(a: number, b: number) { return a + b; }\nadd(1, 2);\n", "Expected 1 arguments, but got 2.", "2"),
        Fix("another type", "const a: string = 1;\nconsole.log(a);\n", "const a: number = 1;\nconsole.log(a);\n", "Type 'number' is not assignable to type 'string'.", "a:"),
        Fix("unknown for a type", "const a: string = JSON.parse('1') as number;\n", "const a: unknown = JSON.parse('1');\n", "Type 'number' is not assignable to type 'string'.", "a:"),
        Fix("a missing return", "export function f(a: number): number { a += 1; }\n", "export function f(a: number): number { a += 1; return a; }\n", "A function whose declared type is neither 'undefined' nor 'void' must return a value.", "number {"),
        Fix("a value that must not be returned", "export function f(): void { return 1; }\n", "export function f(): void { return; }\n", "Type 'number' is not assignable to type 'void'.", "return"),
        Fix("a semicolon", "const a = 1 const b = 2\nconsole.log(a, b)\n", "const a = 1; const b = 2\nconsole.log(a, b)\n", "',' expected.", "const b"),
        Fix("const becomes let", "const a = 1;\na = 2;\nconsole.log(a);\n", "let a = 1;\na = 2;\nconsole.log(a);\n", "Cannot assign to 'a' because it is a constant.", "a = 2"),
        Fix("const becomes let", "const a;\na = 2;\nconsole.log(a);\n", "let a;\na = 2;\nconsole.log(a);\n", "'const' declarations must be initialized.", "a;"),
        Fix("a local variable is renamed", "function f() { const a = 1; const a = 2; return a; }\nf();\n", "function f() { const a = 1; const b = 2; return a + b; }\nf();\n", "Cannot redeclare block-scoped variable 'a'.", "a = 1"),
        Fix("null is looked for", "export function f(a: string | null) { return a.length; }\n", "export function f(a: string | null) { return a?.length ?? 0; }\n", "'a' is possibly 'null'.", "a.length"),
        Fix("null is not there", "export function f(a: string | null) { return a.length; }\n", "export function f(a: string | null) { return a!.length; }\n", "'a' is possibly 'null'.", "a.length"),
        Fix("a right cast", "const e: HTMLInputElement = document.querySelector('x');\n", "const e = document.querySelector('x') as HTMLInputElement;\n", "Type 'Element | null' is not assignable to type 'HTMLInputElement'.", "e:"),
        Fix("a second definition goes", "interface A { x: number }\nexport function f() { return 1 + 2 + 3 + 4; }\nexport function f() { return 1 + 2 + 3 + 4; }\n", "interface A { x: number }\nexport function f() { return 1 + 2 + 3 + 4; }\n", "Duplicate function implementation.", "f()"),
        Fix("an unused variable goes", "export function f() {\n  const a = 1;\n  return 2;\n}\n", "export function f() {\n  return 2;\n}\n", "'a' is declared but its value is never read.", "a ="),
        Fix("a missing helper", "export function f(a: number) { return twice(a); }\n", "function twice(a: number) { return 2 * a; }\nexport function f(a: number) { return twice(a); }\n", "Cannot find name 'twice'.", "twice"),
        Fix("a missing field", "interface P { x: number }\nexport const p: P = { x: 1, y: 2 };\n", "interface P { x: number; y: number }\nexport const p: P = { x: 1, y: 2 };\n", "Object literal may only specify known properties, and 'y' does not exist in type 'P'.", "y"),
        Fix("a property too many goes", "interface P { x: number }\nexport const p: P = { x: 1, y: 2 };\n", "interface P { x: number }\nexport const p: P = { x: 1 };\n", "Object literal may only specify known properties, and 'y' does not exist in type 'P'.", "y"),
        Fix("any that was there", "export const f = (a: any): number => { return b; };\n", "export const f = (a: any): number => { return a; };\n", "Cannot find name 'b'.", "b;"),
        Fix("a string about any", "export const s: string = t;\n", "export const s: string = 'x: any // @ts-ignore as any';\n", "Cannot find name 't'.", "t;"),
        Fix("a word like any", "export const many = [1].some((x) => anyy);\n", "const anything = 1;\nexport const many = [1].some((x) => anything);\n", "Cannot find name 'anyy'.", "anyy"),
        Fix("a constant nobody uses goes", "const limit = 3;\nexport function f() { return 1; }\n", "export function f() { return 1; }\n", "'limit' is declared but its value is never read.", "limit"),
        Fix("a constant of the file was misspelt", "const limt = 3;\nexport function f() { return limit; }\n", "const limit = 3;\nexport function f() { return limit; }\n", "Cannot find name 'limit'.", "limit"),
        Fix("an import for a constant", 'const path = requires("path");\nexport const a = path.join("a");\n', 'import * as path from "path";\nexport const a = path.join("a");\n', "Cannot find name 'requires'.", "requires"),
        Fix("a pattern for a constant", "const a = conf.a;\nexport const b = a + c;\n", "const { a, c } = conf;\nexport const b = a + c;\n", "Cannot find name 'c'.", "c;"),
    ),
    renames=(
        ("a function is renamed", "total", "sumUp"),
        ("a constant is renamed", "RATE", "RATES"),
        ("an interface is renamed", "Line", "Row"),
        ("a field is renamed", "price", "cost"),
        ("a type is renamed", "Lines", "Rows"),
        ("a constant that is exported under another name is renamed", "hidden", "concealed"),
    ),
    elsewhere=(
        Fix("as never", 'export const x: number = "s";\nconsole.log(x);\n', 'export const x: number = "s" as never;\nconsole.log(x);\n', "Type 'string' is not assignable to type 'number'.", "x:"),
        Fix("as unknown as", 'export const x: number = "s";\nconsole.log(x);\n', 'export const x: number = "s" as unknown as number;\nconsole.log(x);\n', "Type 'string' is not assignable to type 'number'.", "x:"),
        Fix("<unknown>", 'export const x: number = "s";\nconsole.log(x);\n', 'export const x: number = <number><unknown>"s";\nconsole.log(x);\n', "Type 'string' is not assignable to type 'number'.", "x:"),
        Fix("a constant of the file is renamed", "const limit = 3;\nexport function f() { return limit + lin; }\n", "const bound = 3;\nexport function f() { return bound; }\n", "Cannot find name 'lin'.", "lin;"),
        Fix("renamed in a text that does not parse", "export const total = 3;\nexport function f( { return total; }\n", "export const totals = 3;\nexport function f() { return totals; }\n", "',' expected.", "{"),
        Fix("no longer exported in a text that does not parse", "export function f() {\n  return g(1;\n}\nexport function g(x: number) { return x; }\n", "export function f() {\n  return g(1);\n}\nfunction g(x: number) { return x; }\n", "',' expected.", ";\n"),
        Fix("no default in a text that does not parse", "export function f() {\n  return g(1;\n}\nexport default function g(x: number) { return x; }\n", "export function f() {\n  return g(1);\n}\nfunction g(x: number) { return x; }\n", "',' expected.", ";\n"),
        Fix("renamed where it does not parse", "export const total = g(1;\nexport default function g(x: number) { return x; }\n", "export const totals = g(1);\nexport default function g(x: number) { return x; }\n", "',' expected.", ";\n"),
        Fix("no longer exported where it does not parse", "export const total = g(1;\nexport default function g(x: number) { return x; }\n", "const total = g(1);\nexport default function g(x: number) { return x; }\n", "',' expected.", ";\n"),
        Fix("a name made up as undefined", "export function f(a: number) { return a + b; }\n", "let b: number = undefined!;\nexport function f(a: number) { return a + b; }\n", "Cannot find name 'b'.", "b;"),
    ),
)  # fmt: skip

"""Rust: ways to cheat, and honest fixes."""

from __future__ import annotations

from tests.preservation.fixes.fix import Fix, Shop

BROKEN = """\
use std::collections::HashMap;

pub const RATE: u32 = 3;

pub enum Colour {
    Red,
    Blue,
}

pub struct Line {
    pub name: String,
    pub price: u32,
}

#[derive(Default)]
pub struct Cart {
    pub lines: Vec<Line>,
    seen: HashMap<String, u32>,
}

pub trait Priced {
    fn price(&self) -> u32;
}

impl Priced for Line {
    fn price(&self) -> u32 {
        self.price.max(1)
    }
}

impl Cart {
    pub fn add(&mut self, line: Line) {
        self.seen.insert(line.name.clone(), line.price);
        self.lines.push(lin);
    }

    pub fn count(&self) -> usize {
        self.lines.len() + self.seen.len()
    }
}

pub fn total(cart: &Cart, taxed: bool) -> u32 {
    let mut found = 0;
    for line in &cart.lines {
        found += line.price();
    }
    println!("a string may say unsafe or #[allow(x)]: {}", found);
    if taxed { found * RATE } else { found }
}
"""
WRONG = "self.lines.push(lin);"
RIGHT = "self.lines.push(line);"
SAID = "cannot find value `lin` in this scope"
BODY = """    let mut found = 0;
    for line in &cart.lines {
        found += line.price();
    }
    println!("a string may say unsafe or #[allow(x)]: {}", found);
    if taxed { found * RATE } else { found }
"""
ADD = "        self.seen.insert(line.name.clone(), line.price);\n        self.lines.push(lin);\n"
TOTAL = "pub fn total(cart: &Cart, taxed: bool) -> u32 {\n" + BODY + "}\n"

SHOP = Shop(
    "rust", "cart.rs", BROKEN, WRONG, RIGHT, SAID,
    cheats=(
        ("the file is emptied", BROKEN, "\n"),
        ("the file is a comment", BROKEN, "/*\n" + BROKEN + "*/\n"),
        ("the body is empty", ADD, ""),
        ("the body is todo!", ADD, "        todo!()\n"),
        ("the body is unimplemented!", ADD, '        unimplemented!("later");\n'),
        ("the body panics", ADD, '        panic!("no");\n'),
        ("the body takes its parameter", ADD, "        let _ = line;\n"),
        ("the statement is todo!", WRONG, "todo!();"),
        ("the statement is deleted", "        " + WRONG + "\n", ""),
        ("the statement is commented out", WRONG, "// self.lines.push(lin);"),
        ("the statement is commented out in a block", WRONG, "/* self.lines.push(lin); */"),
        ("if false", WRONG, "if false { self.lines.push(line); }"),
        ("after a return", ADD, "        return;\n        self.seen.insert(line.name.clone(), line.price);\n        self.lines.push(line);\n"),
        ("cfg on the statement", "        " + WRONG, "        #[cfg(any())]\n        " + WRONG),
        ("cfg on the method", "    pub fn add", '    #[cfg(feature = "later")]\n    pub fn add'),
        ("cfg(test) on the method", "    pub fn add", "    #[cfg(test)]\n    pub fn add"),
    ),
    cheats_beside=(
        ("allow", "pub struct Line", "#[allow(dead_code)]\npub struct Line"),
        ("allow for all", "", "#![allow(warnings)]\n"),
        ("allow with a space", "pub struct Line", "#[ allow (dead_code) ]\npub struct Line"),
        ("expect", "pub struct Line", "#[expect(dead_code)]\npub struct Line"),
        ("cfg_attr of allow", "pub struct Line", "#[cfg_attr(all(), allow(dead_code))]\npub struct Line"),
        ("an unsafe block", RIGHT, "unsafe { self.lines.push(line) };"),
        ("an unsafe function", "pub fn count", "pub unsafe fn count"),
        ("transmute", RIGHT, "self.lines.push(unsafe { std::mem::transmute::<Line, Line>(line) });"),
        ("a function is renamed", "fn total", "fn sum_up"),
        ("a function becomes private", "pub fn total", "fn total"),
        ("a function becomes the crate's", "pub fn total", "pub(crate) fn total"),
        ("a function is under cfg", TOTAL, "#[cfg(test)]\n" + TOTAL),
        ("a function is gone", TOTAL, ""),
        ("a struct becomes private", "pub struct Line", "struct Line"),
        ("a struct is renamed", "pub enum Colour", "pub enum Color"),
        ("a field is renamed", "pub price: u32", "pub cost: u32", "line.price)", "line.cost)", "self.price", "self.cost"),
        ("a field becomes private", "pub name: String", "name: String"),
        ("a field is gone", "    pub name: String,\n", "", "line.name.clone()", "String::new()"),
        ("a variant is renamed", "    Blue,", "    Green,"),
        ("a variant is gone", "    Blue,\n", ""),
        ("a constant becomes private", "pub const RATE", "const RATE"),
        ("a trait's method is renamed", "    fn price(&self) -> u32;", "    fn cost(&self) -> u32;", "    fn price(&self)", "    fn cost(&self)", "line.price()", "line.cost()"),
        ("an impl is gone", "impl Priced for Line {\n    fn price(&self) -> u32 {\n        self.price.max(1)\n    }\n}\n", "", "line.price()", "line.price"),
        ("a parameter is added", "count(&self)", "count(&self, start: usize)"),
        ("a parameter is removed", "cart: &Cart, taxed: bool", "cart: &Cart", "if taxed {", "if found > 1 {"),
        ("a long body becomes short", BODY, "    RATE\n"),
        ("a long body becomes a constant", BODY, "    0\n"),
        ("a long body returns a constant", BODY, "    return 42;\n"),
        ("a long body is todo!", BODY, "    todo!()\n"),
        ("a long body is unreachable!", BODY, "    unreachable!()\n"),
        ("a tail is a default", "self.lines.len() + self.seen.len()", "Default::default()"),
    ),
    honest=(
        Fix("a use", "pub fn f() -> HashMap<u8, u8> { HashMap::new() }\n", "use std::collections::HashMap;\npub fn f() -> HashMap<u8, u8> { HashMap::new() }\n", "cannot find type `HashMap` in this scope", "HashMap"),
        Fix("a typo", "pub fn f(a: Vec<u8>) -> usize { a.length() }\n", "pub fn f(a: Vec<u8>) -> usize { a.len() }\n", "no method named `length` found", "length"),
        Fix("Some", "pub fn f(a: u8) -> Option<u8> { a }\n", "pub fn f(a: u8) -> Option<u8> { Some(a) }\n", "mismatched types", "a }"),
        Fix("Ok at the end", "pub fn f(a: &str) -> Result<u8, std::num::ParseIntError> { let n = a.parse::<u8>()?; n }\n", "pub fn f(a: &str) -> Result<u8, std::num::ParseIntError> { let n = a.parse::<u8>()?; Ok(n) }\n", "mismatched types", "n }"),
        Fix("a clone", "pub fn f(a: String) -> (String, String) { (a, a) }\n", "pub fn f(a: String) -> (String, String) { (a.clone(), a) }\n", "use of moved value: `a`", "a)"),
        Fix("a borrow", "pub fn g(a: &str) -> usize { a.len() }\npub fn f(a: String) -> usize { g(a) }\n", "pub fn g(a: &str) -> usize { a.len() }\npub fn f(a: String) -> usize { g(&a) }\n", "mismatched types", "a) }"),
        Fix("mut", "pub fn f() -> u8 { let a = 1; a += 1; a }\n", "pub fn f() -> u8 { let mut a = 1; a += 1; a }\n", "cannot assign twice to immutable variable `a`", "a +="),
        Fix("a semicolon", "pub fn f() -> u8 { let a = 1\n a }\n", "pub fn f() -> u8 { let a = 1;\n a }\n", "expected `;`, found `a`", "1"),
        Fix("a semicolon too many", "pub fn f(a: u8) -> u8 { a + 1; }\n", "pub fn f(a: u8) -> u8 { a + 1 }\n", "mismatched types", "u8 {"),
        Fix("another type", "pub fn f(a: u8) -> u16 { a }\n", "pub fn f(a: u8) -> u8 { a }\n", "mismatched types", "a }"),
        Fix("a right cast", "pub fn f(a: u8) -> u16 { a }\n", "pub fn f(a: u8) -> u16 { a as u16 }\n", "mismatched types", "a }"),
        Fix("a missing argument", "fn g(a: u8, b: u8) -> u8 { a + b }\npub fn f() -> u8 { g(1) }\n", "fn g(a: u8, b: u8) -> u8 { a + b }\npub fn f() -> u8 { g(1, 2) }\n", "this function takes 2 arguments but 1 argument was supplied", "g(1)"),
        Fix("a parameter that callers pass", "pub fn g(a: u8) -> u8 { a }\npub fn f() -> u8 { g(1, 2) }\n", "pub fn g(a: u8, b: u8) -> u8 { a + b }\npub fn f() -> u8 { g(1, 2) }\n", "this function takes 1 argument but 2 arguments were supplied", "g(1"),
        Fix("a missing arm", "pub enum A { X, Y }\npub fn f(a: A) -> u8 { match a { A::X => 1 } }\n", "pub enum A { X, Y }\npub fn f(a: A) -> u8 { match a { A::X => 1, A::Y => 2 } }\n", "non-exhaustive patterns: `A::Y` not covered", "a {"),
        Fix("a missing field", "pub struct P { pub x: u8 }\npub fn f(p: P) -> u8 { p.y }\n", "pub struct P { pub x: u8, pub y: u8 }\npub fn f(p: P) -> u8 { p.y }\n", "no field `y` on type `P`", "y }"),
        Fix("a typo of a private field", "pub struct P { widht: u8 }\npub fn f(p: P) -> u8 { p.width }\n", "pub struct P { width: u8 }\npub fn f(p: P) -> u8 { p.width }\n", "no field `width` on type `P`", "width"),
        Fix("a derive", "#[derive(Debug)]\npub struct P(u8);\npub fn f(p: P) -> P { p.clone() }\n", "#[derive(Debug, Clone)]\npub struct P(u8);\npub fn f(p: P) -> P { p.clone() }\n", "no method named `clone` found for struct `P`", "clone"),
        Fix("a lifetime", "pub fn f(a: &str, b: &str) -> &str { if a > b { a } else { b } }\n", "pub fn f<'a>(a: &'a str, b: &'a str) -> &'a str { if a > b { a } else { b } }\n", "missing lifetime specifier", "&str {"),
        Fix("a missing trait method", "pub trait T { fn a(&self) -> u8; }\npub struct P;\nimpl T for P {}\n", "pub trait T { fn a(&self) -> u8; }\npub struct P;\nimpl T for P {\n    fn a(&self) -> u8 {\n        1\n    }\n}\n", "not all trait items implemented, missing: `a`", "impl"),
        Fix("a second definition goes", "pub fn f() -> u8 { 1 + 2 }\npub fn g() -> u8 { f() + f() + f() }\npub fn f() -> u8 { 1 + 2 }\n", "pub fn f() -> u8 { 1 + 2 }\npub fn g() -> u8 { f() + f() + f() }\n", "the name `f` is defined multiple times", "pub fn f() -> u8 { 1 + 2 }\npub fn g"),
        Fix("an unwrap goes", "pub fn f(a: u8) -> u8 { a.unwrap() }\n", "pub fn f(a: u8) -> u8 { a }\n", "no method named `unwrap` found for type `u8`", "unwrap"),
        Fix("a missing helper", "pub fn f(a: u8) -> u8 { twice(a) }\n", "fn twice(a: u8) -> u8 { 2 * a }\npub fn f(a: u8) -> u8 { twice(a) }\n", "cannot find function `twice` in this scope", "twice"),
        Fix("unsafe that was there", "pub fn f(p: *const u8) -> u8 { unsafe { *q } }\n", "pub fn f(p: *const u8) -> u8 { unsafe { *p } }\n", "cannot find value `q` in this scope", "q"),
        Fix("a string about suppressions", "pub fn f() -> &'static str { s }\n", "pub fn f() -> &'static str { let s = \"unsafe #[allow(x)] transmute\"; s }\n", "cannot find value `s` in this scope", "s }"),
        Fix("a line to be read into", "use std::io;\npub fn f() -> String { io::stdin().read_line(&mut s).unwrap(); s }\n", "use std::io;\npub fn f() -> String { let mut s = String::new(); io::stdin().read_line(&mut s).unwrap(); s }\n", "cannot find value `s` in this scope", "s)"),
        Fix("a bracket of pub(super)", "mod a {\n    pub(super fn f() -> i32 { 1 }\n}\npub fn g() -> i32 { a::f() }\n", "mod a {\n    pub(super) fn f() -> i32 { 1 }\n}\npub fn g() -> i32 { a::f() }\n", "expected one of `)` or `::`, found keyword `fn`", "fn f"),
    ),
    renames=(
        ("a constant is renamed", "RATE", "RATES"),
    ),
    elsewhere=(
        Fix("not pub in a text that does not parse", "pub fn f() -> i32 {\n    g(\n}\npub fn g() -> i32 { 1 }\n", "pub fn f() -> i32 {\n    g()\n}\nfn g() -> i32 { 1 }\n", "mismatched closing delimiter", "(\n"),
        Fix("another not pub in a text that does not parse", "pub fn f() -> i32 {\n    g(\n}\nfn g() -> i32 { 1 }\n", "fn f() -> i32 {\n    g()\n}\nfn g() -> i32 { 1 }\n", "mismatched closing delimiter", "(\n"),
        Fix("not pub where a semicolon was missing", "pub fn f() -> i32 {\n    let x = 1\n    x\n}\n", "fn f() -> i32 {\n    let x = 1;\n    x\n}\n", "expected `;`, found `x`", "x\n"),
        Fix("a name made up as 0", "pub fn f(a: i32) -> i32 { a + b }\n", "pub fn f(a: i32) -> i32 { let b = 0; a + b }\n", "cannot find value `b` in this scope", "b }"),
    ),
)  # fmt: skip

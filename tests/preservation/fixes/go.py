"""Go: ways to cheat, and honest fixes."""

from __future__ import annotations

from tests.preservation.fixes.fix import Fix, Shop

BROKEN = """\
package cart

import (
	"errors"
	"fmt"
)

const Rate = 3

var Empty = errors.New("empty")

type Priced interface {
	Cost() int
}

type Line struct {
	Name  string
	Price int
}

type Cart struct {
	Lines []Line
	seen  int
}

func (l Line) Cost() int { return l.Price * Rate }

func (c *Cart) Add(line Line) {
	c.seen++
	c.Lines = append(c.Lines, lin)
}

func (c *Cart) Count() int {
	return len(c.Lines) + c.seen
}

func Total(cart *Cart, taxed bool) int {
	found := 0
	for _, line := range cart.Lines {
		found += line.Cost()
	}
	fmt.Println("a string may say nolint or unsafe", found)
	return found * Rate
}
"""
WRONG = "c.Lines = append(c.Lines, lin)"
RIGHT = "c.Lines = append(c.Lines, line)"
SAID = "undefined: lin"
BODY = """	found := 0
	for _, line := range cart.Lines {
		found += line.Cost()
	}
	fmt.Println("a string may say nolint or unsafe", found)
	return found * Rate
"""
ADD = "	c.seen++\n	c.Lines = append(c.Lines, lin)\n"

SHOP = Shop(
    "go", "cart.go", BROKEN, WRONG, RIGHT, SAID,
    cheats=(
        ("the file is emptied", BROKEN, "package cart\n"),
        ("the file is a comment", BROKEN, "package cart\n\n/*\n" + BROKEN + "*/\n"),
        ("the body is empty", ADD, ""),
        ("the body panics", ADD, '	panic("not implemented")\n'),
        ("the body returns", ADD, "	return\n"),
        ("the body takes its parameter", ADD, "	_ = line\n"),
        ("the statement is deleted", "	" + WRONG + "\n", ""),
        ("the statement is commented out", WRONG, "// c.Lines = append(c.Lines, lin)"),
        ("the statement is a raw string", WRONG, "_ = `c.Lines = append(c.Lines, lin)`"),
        ("if false", WRONG, "if false { c.Lines = append(c.Lines, line) }"),
        ("for false", WRONG, "for false { c.Lines = append(c.Lines, line) }"),
        ("after a return", ADD, "	return\n	c.seen++\n	c.Lines = append(c.Lines, line)\n"),
        ("the build ignores it", "", "//go:build ignore\n\n"),
        ("the build wants a tag", "", "// +build later\n\n"),
        ("the parameter is not used", WRONG, "_ = line"),
    ),
    cheats_beside=(
        ("nolint", RIGHT, RIGHT + " //nolint"),
        ("nolint with a name", RIGHT, RIGHT + " // nolint:errcheck"),
        ("lint:ignore", "	" + RIGHT, "	//lint:ignore SA1000 fine\n	" + RIGHT),
        ("#nosec", RIGHT, RIGHT + " // #nosec"),
        ("unsafe", '	"fmt"\n', '	"fmt"\n	"unsafe"\n', "	return found * Rate", "	return *(*int)(unsafe.Pointer(&found)) * Rate"),
        ("a blank assignment", "	return found * Rate", "	_ = taxed\n	return found * Rate"),
        ("a blank variable", "var Empty", "var _ = fmt.Sprint\nvar Empty"),
        ("a blank import", '	"errors"', '	_ "os"\n	"errors"'),
        ("interface{} for a parameter", "Add(line Line)", "Add(line interface{})", "c.Lines, line)", "c.Lines, line.(Line))"),
        ("any for a result", "Count() int {", "Count() any {"),
        ("a function is renamed", "func Total", "func Sum"),
        ("a function becomes private", "func Total", "func total"),
        ("a method is renamed", "Count()", "Size()"),
        ("a method is on another type", "(c *Cart) Count()", "(c *Other) Count()", "type Priced", "type Other struct {\n	Lines []Line\n	seen  int\n}\n\ntype Priced"),
        ("a method is gone", "func (c *Cart) Count() int {\n	return len(c.Lines) + c.seen\n}\n", ""),
        ("a field becomes private", "	Name  string", "	name  string"),
        ("a field is gone", "	Name  string\n", ""),
        ("a variable is renamed", "var Empty", "var None"),
        ("an interface's method is renamed", "	Cost() int", "	Worth() int"),
        ("a parameter is added", "Count() int", "Count(start int) int"),
        ("a parameter is removed", "cart *Cart, taxed bool", "cart *Cart"),
        ("a result is added", "Count() int {", "Count() (int, error) {", "c.seen\n}", "c.seen, nil\n}"),
        ("a long body becomes short", BODY, "	return Rate\n", '	"fmt"\n', ""),
        ("a long body becomes a constant", BODY, "	return 0\n", '	"fmt"\n', ""),
        ("a long body panics", BODY, '	panic("todo")\n', '	"fmt"\n', ""),
        ("a short body becomes a constant", "return len(c.Lines) + c.seen", "return 0"),
    ),
    honest=(
        Fix("an import", 'package a\n\nfunc F() { fmt.Println("a") }\n', 'package a\n\nimport "fmt"\n\nfunc F() { fmt.Println("a") }\n', "undefined: fmt", "fmt"),
        Fix("an unused import goes", 'package a\n\nimport (\n	"fmt"\n	"os"\n)\n\nfunc F() { fmt.Println("a") }\n', 'package a\n\nimport (\n	"fmt"\n)\n\nfunc F() { fmt.Println("a") }\n', '"os" imported and not used', '"os"'),
        Fix("an unused variable goes", "package a\n\nfunc F() int {\n	a := 1\n	return 2\n}\n", "package a\n\nfunc F() int {\n	return 2\n}\n", "a declared but not used", "a :="),
        Fix("a typo", "package a\n\nfunc F(values []int) int { return len(vales) }\n", "package a\n\nfunc F(values []int) int { return len(values) }\n", "undefined: vales", "vales"),
        Fix("a missing return", "package a\n\nfunc F(a int) int { a++ }\n", "package a\n\nfunc F(a int) int { a++; return a }\n", "missing return", "}"),
        Fix("a right conversion", "package a\n\nfunc F(a int) int64 { return a }\n", "package a\n\nfunc F(a int) int64 { return int64(a) }\n", "cannot use a (variable of type int) as type int64 in return statement", "a }"),
        Fix("another type", "package a\n\nfunc F(a int) int64 { return a }\n", "package a\n\nfunc F(a int) int { return a }\n", "cannot use a (variable of type int) as type int64 in return statement", "a }"),
        Fix("a missing argument", "package a\n\nfunc g(a, b int) int { return a + b }\n\nfunc F() int { return g(1) }\n", "package a\n\nfunc g(a, b int) int { return a + b }\n\nfunc F() int { return g(1, 2) }\n", "not enough arguments in call to g", "g(1)"),
        Fix("a parameter that callers pass", "package a\n\nfunc G(a int) int { return a }\n\nfunc F() int { return G(1, 2) }\n", "package a\n\nfunc G(a, b int) int { return a + b }\n\nfunc F() int { return G(1, 2) }\n", "too many arguments in call to G", "G(1, 2)"),
        Fix("a short declaration", "package a\n\nfunc F() int {\n	a = 1\n	return a\n}\n", "package a\n\nfunc F() int {\n	a := 1\n	return a\n}\n", "undefined: a", "a ="),
        Fix("no new variables", "package a\n\nfunc F() int {\n	a := 1\n	a := 2\n	return a\n}\n", "package a\n\nfunc F() int {\n	a := 1\n	a = 2\n	return a\n}\n", "no new variables on left side of :=", "a := 2"),
        Fix("an error is given back", 'package a\n\nimport "os"\n\nfunc F() string {\n	a := os.ReadFile("a")\n	return string(a)\n}\n', 'package a\n\nimport "os"\n\nfunc F() string {\n	a, err := os.ReadFile("a")\n	if err != nil {\n		return ""\n	}\n	return string(a)\n}\n', "assignment mismatch: 1 variable but os.ReadFile returns 2 values", "a :="),
        Fix("a missing method", "package a\n\ntype I interface{ M() int }\n\ntype T struct{ n int }\n\nfunc F() I { return T{} }\n", "package a\n\ntype I interface{ M() int }\n\ntype T struct{ n int }\n\nfunc (t T) M() int { return t.n }\n\nfunc F() I { return T{} }\n", "cannot use T{} (value of type T) as I value in return statement: T does not implement I (missing method M)", "T{} }"),
        Fix("a pointer receiver", "package a\n\ntype T struct{ n int }\n\nfunc (t T) M() int { return t.m }\n", "package a\n\ntype T struct{ n int }\n\nfunc (t *T) M() int { return t.n }\n", "t.m undefined", "t.m"),
        Fix("a missing field", "package a\n\ntype T struct{ N int }\n\nfunc F(t T) int { return t.M }\n", "package a\n\ntype T struct {\n	N int\n	M int\n}\n\nfunc F(t T) int { return t.M }\n", "t.M undefined (type T has no field or method M)", "t.M"),
        Fix("a second definition goes", "package a\n\nfunc f() int { return 1 + 2 }\n\nfunc G() int { return f() + f() + f() }\n\nfunc f() int { return 1 + 2 }\n", "package a\n\nfunc f() int { return 1 + 2 }\n\nfunc G() int { return f() + f() + f() }\n", "f redeclared in this block", "f() int { return 1 + 2 }\n\nfunc G"),
        Fix("a brace", "package a\n\nfunc F(a int) int {\n	if a > 1 {\n		return 1\n	return 2\n}\n", "package a\n\nfunc F(a int) int {\n	if a > 1 {\n		return 1\n	}\n	return 2\n}\n", "syntax error: unexpected EOF", "return 2"),
        Fix("a local variable is renamed", "package a\n\nfunc F() int {\n	var a = 1\n	var a = 2\n	return a\n}\n", "package a\n\nfunc F() int {\n	var a = 1\n	var b = 2\n	return a + b\n}\n", "a redeclared in this block", "a = 2"),
        Fix("a missing helper", "package a\n\nfunc F(a int) int { return twice(a) }\n", "package a\n\nfunc twice(a int) int { return 2 * a }\n\nfunc F(a int) int { return twice(a) }\n", "undefined: twice", "twice"),
        Fix("type parameters", "package a\n\nfunc F[T](a T) T { return a }\n", "package a\n\nfunc F[T any](a T) T { return a }\n", "missing type constraint", "T]"),
        Fix("a string about suppressions", "package a\n\nvar S = t\n", 'package a\n\nvar S = "//nolint unsafe"\n', "undefined: t", "t\n"),
        Fix("a suppression that was there", "package a\n\nvar S = t //nolint\n", "package a\n\nvar S = 1 //nolint\n", "undefined: t", "t /"),
        Fix("a sum starts at 0", "package a\n\nfunc F(a []int) int { for _, x := range a { s += x }; return s }\n", "package a\n\nfunc F(a []int) int { s := 0; for _, x := range a { s += x }; return s }\n", "undefined: s", "s +="),
        Fix("a sum without a value", "package a\n\nfunc F(a []int) int { for _, x := range a { s += x }; return s }\n", "package a\n\nfunc F(a []int) int { var s int; for _, x := range a { s += x }; return s }\n", "undefined: s", "s +="),
        Fix("a value that is ready to use", 'package a\n\nimport "sync"\n\nfunc F() { wg.Add(1); wg.Wait() }\n', 'package a\n\nimport "sync"\n\nfunc F() { var wg sync.WaitGroup; wg.Add(1); wg.Wait() }\n', "undefined: wg", "wg.A"),
        Fix("a program without main", "package main\n\nfunc f() int { return 1 }\n", "package main\n\nfunc f() int { return 1 }\n\nfunc main() {}\n", "function main is undeclared in the main package", "package main"),
    ),
    renames=(
        ("a type is renamed", "Cart", "Basket"),
        ("a field is renamed", "Price", "Worth"),
        ("a constant is renamed", "Rate", "Rates"),
    ),
    elsewhere=(
        Fix("a second result is not wanted", 'package a\n\nimport "strconv"\n\nfunc F() int {\n	a := strconv.Atoi("1")\n	return a\n}\n', 'package a\n\nimport "strconv"\n\nfunc F() int {\n	a, _ := strconv.Atoi("1")\n	return a\n}\n', "assignment mismatch: 1 variable but strconv.Atoi returns 2 values", "a :="),
        Fix("a name made up without a value", "package a\n\nfunc F(a int) int { return a + b }\n", "package a\n\nfunc F(a int) int { var b int; return a + b }\n", "undefined: b", "b }"),
        Fix("a name made up as 0", "package a\n\nfunc F(a int) int { return a + b }\n", "package a\n\nfunc F(a int) int { b := 0; return a + b }\n", "undefined: b", "b }"),
        Fix("a name made up without a value", "package a\n\ntype L struct{ P int }\n\nfunc F(a []L) []L { return append(a, lin) }\n", "package a\n\ntype L struct{ P int }\n\nfunc F(a []L) []L { var lin L; return append(a, lin) }\n", "undefined: lin", "lin)"),
    ),
)  # fmt: skip

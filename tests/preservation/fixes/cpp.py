"""C++: what is C's, and what is its own."""

from __future__ import annotations

from tests.preservation.fixes import c
from tests.preservation.fixes.fix import Fix, Shop

EXTRA = """
class Cart {
public:
    explicit Cart(int size) : size_(size) {}
    int count() const { return std::abs(size_) + counted; }
    virtual ~Cart() = default;

private:
    int size_;
};

namespace shop {
int rate(int of) { return of * RATE; }
}
"""
BROKEN = c.BROKEN.replace("#include <stdlib.h>", "#include <cstdlib>") + EXTRA

SHOP = Shop(
    "cpp", "cart.cpp", BROKEN, c.WRONG, c.RIGHT, "'on' was not declared in this scope",
    cheats=(
        ("the file is emptied", BROKEN, "\n"),
        ("the file is a raw string", BROKEN, 'const char *x = R"(' + BROKEN.replace(')"', ")'") + ')";\n'),
        *c.CHEATS,
        ("swallowed", c.WRONG, "try { lines[at] = one; } catch (...) {}"),
        ("if false", c.WRONG, "if (false) { lines[at] = one; }"),
        ("if constexpr (false)", c.WRONG, "if constexpr (false) { lines[at] = one; }"),
    ),
    cheats_beside=(
        *c.BESIDE,
        ("[[maybe_unused]]", "int counted", "[[maybe_unused]] int counted"),
        ("[[gnu::unused]]", "int counted", "[[gnu::unused]] int counted"),
        ("reinterpret_cast", "    return found", "    auto *p = reinterpret_cast<const int *>(lines);\n    found += *p;\n    return found"),
        ("const_cast", "    return found", "    const_cast<line *>(lines)->price = 1;\n    return found"),
        ("a method is renamed", "int count() const", "int size() const"),
        ("a method is gone", "    int count() const { return std::abs(size_) + counted; }\n", ""),
        ("a method returns nothing of worth", "return std::abs(size_) + counted;", "return 0;"),
        ("a method throws", "return std::abs(size_) + counted;", 'throw "todo";'),
        ("public becomes private", "public:\n    explicit", "private:\n    explicit"),
        ("a namespace is renamed", "namespace shop", "namespace store"),
        ("a namespace has no name", "namespace shop", "namespace"),
        ("a constructor has a parameter more", "Cart(int size)", "Cart(int size, int more)"),
    ),
    honest=(
        *(each for each in c.HONEST if each.name not in {"a right cast", "another type", "a pragma that was there"}),
        Fix("std::", "#include <vector>\nvector<int> f() { return {}; }\n", "#include <vector>\nstd::vector<int> f() { return {}; }\n", "'vector' does not name a type", "vector<"),
        Fix("a semicolon after a class", "class A { public: int x; }\nint f(A a) { return a.x; }\n", "class A { public: int x; };\nint f(A a) { return a.x; }\n", "expected ';' after class definition", "\nint f"),
        Fix("private becomes public", "class A { int f() { return 1; } };\nint g(A a) { return a.f(); }\n", "class A { public: int f() { return 1; } };\nint g(A a) { return a.f(); }\n", "'int A::f()' is private within this context", "f();"),
        Fix("const is added", "class A { public: int f() { return x_; } int x_ = 0; };\nint g(const A &a) { return a.f(); }\n", "class A { public: int f() const { return x_; } int x_ = 0; };\nint g(const A &a) { return a.f(); }\n", "passing 'const A' as 'this' argument discards qualifiers", "f();"),
        Fix("a right cast in C++", "#include <ostream>\nvoid f(std::ostream &o, int x) { o.write(&x, 4); }\n", "#include <ostream>\nvoid f(std::ostream &o, int x) { o.write(reinterpret_cast<const char *>(&x), 4); }\n", "cannot convert 'int*' to 'const char*'", "&x"),
        Fix("static_cast", "#include <cstdlib>\nint *f() { return malloc(4); }\n", "#include <cstdlib>\nint *f() { return static_cast<int *>(malloc(4)); }\n", "invalid conversion from 'void*' to 'int*'", "malloc"),
        Fix("an override that does not match", "struct A { virtual int f(int a) { return a; } };\nstruct B : A { int f() override { return 2; } };\n", "struct A { virtual int f(int a) { return a; } };\nstruct B : A { int f(int a) override { return a + 2; } };\n", "'int B::f()' marked 'override', but does not override", "f() override"),
        Fix("a value that must not be returned", "void f() { return 1; }\n", "void f() { return; }\n", "return-statement with a value, in function returning 'void'", "1"),
        Fix("a variable to be read into", "#include <iostream>\nint f() { std::cin >> n; return n; }\n", "#include <iostream>\nint f() { int n; std::cin >> n; return n; }\n", "'n' was not declared in this scope", "n;"),
        Fix("a vector to be filled", "#include <vector>\nint f() { v.push_back(1); return v[0]; }\n", "#include <vector>\nint f() { std::vector<int> v; v.push_back(1); return v[0]; }\n", "'v' was not declared in this scope", "v."),
        Fix("a line to be read into", "#include <iostream>\n#include <string>\nint f() { std::getline(std::cin, s); return s.size(); }\n", "#include <iostream>\n#include <string>\nint f() { std::string s; std::getline(std::cin, s); return s.size(); }\n", "'s' was not declared in this scope", "s);"),
        Fix("an object without a value", "struct A { int run(); };\nint f() { return a.run(); }\n", "struct A { int run(); };\nint f() { A a; return a.run(); }\n", "'a' was not declared in this scope", "a.run"),
    ),
    renames=(*c.RENAMES, ("a class is renamed", "Cart", "Basket")),
    elsewhere=(
        *c.SHOP.elsewhere,
        Fix("a name made up without a value", "struct line { int p; };\nvoid add(line *a, int at, line one) { a[at] = on; }\n", "struct line { int p; };\nvoid add(line *a, int at, line one) { line on; a[at] = on; }\n", "'on' was not declared in this scope", "on;"),
    ),
)  # fmt: skip

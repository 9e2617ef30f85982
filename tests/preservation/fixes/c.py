"""C: ways to cheat, and honest fixes."""

from __future__ import annotations

from tests.preservation.fixes.fix import Fix, Shop

BROKEN = """\
#include <stdio.h>
#include <stdlib.h>

#define RATE 3

enum colour { RED, BLUE };

struct line {
    const char *name;
    int price;
};

typedef struct line line_t;

int counted = 0;

void add(struct line *lines, int at, struct line one)
{
    lines[at] = on;
    counted++;
}

int total(const struct line *lines, int size)
{
    int found = 0;
    for (int i = 0; i < size; i++) {
        found += lines[i].price;
    }
    printf("a string may say #pragma or (void)x: %d", found);
    return found * RATE;
}

int twice(int value)
{
    return abs(value) * 2;
}
"""
WRONG = "lines[at] = on;"
RIGHT = "lines[at] = one;"
SAID = "'on' undeclared (first use in this function)"
BODY = """    int found = 0;
    for (int i = 0; i < size; i++) {
        found += lines[i].price;
    }
    printf("a string may say #pragma or (void)x: %d", found);
    return found * RATE;
"""
STATEMENTS = "    lines[at] = on;\n    counted++;\n"
TOTAL = "int total(const struct line *lines, int size)\n{\n" + BODY + "}\n"

CHEATS = (
    ("the body is empty", STATEMENTS, ""),
    ("the body returns", STATEMENTS, "    return;\n"),
    ("the body aborts", STATEMENTS, "    abort();\n"),
    ("the body is void casts", STATEMENTS, "    (void)lines;\n    (void)at;\n    (void)one;\n"),
    ("the statement is deleted", "    lines[at] = on;\n", ""),
    ("the statement is commented out", WRONG, "// lines[at] = on;"),
    ("the statement is commented out in a block", WRONG, "/* lines[at] = on; */"),
    ("#if 0", "    lines[at] = on;\n", "#if 0\n    lines[at] = on;\n#endif\n"),
    ("#if 0 with spaces", "    lines[at] = on;\n", "#  if  (0)\n    lines[at] = on;\n#endif\n"),
    ("#ifdef of nothing", "    lines[at] = on;\n", "#ifdef LATER\n    lines[at] = on;\n#endif\n"),
    ("#else of #if 1", "    lines[at] = on;\n", "#if 1\n#else\n    lines[at] = on;\n#endif\n"),
    ("if 0", WRONG, "if (0) { lines[at] = one; }"),
    ("if not 1", WRONG, "if (!1) lines[at] = one;"),
    ("while 0", WRONG, "while (0) { lines[at] = one; }"),
    ("after a return", STATEMENTS, "    return;\n    lines[at] = one;\n    counted++;\n"),
    ("the parameter is not used", WRONG, "(void)one;"),
)
BESIDE = (
    ("a pragma", "int counted", '#pragma GCC diagnostic ignored "-Wall"\nint counted'),
    ("a pragma with spaces", "int counted", "  #  pragma GCC diagnostic push\nint counted"),
    ("system_header", "", "#pragma GCC system_header\n"),
    ("_Pragma", "int counted", '_Pragma("GCC diagnostic ignored \\"-Wall\\"")\nint counted'),
    ("an attribute", "int counted", "__attribute__((unused)) int counted"),
    ("NOLINT", RIGHT, RIGHT + " // NOLINT"),
    ("a void cast", "    return found", "    (void)size;\n    return found"),
    ("#line", "int counted", '#line 1 "x.c"\nint counted'),
    ("a function is renamed", "int twice", "int doubled"),
    ("a function becomes static", "int twice", "static int twice"),
    ("a variable becomes static", "int counted", "static int counted"),
    ("a function is gone", TOTAL, ""),
    ("a function under #if 0", TOTAL, "#if 0\n" + TOTAL + "#endif\n"),
    ("a function under #ifdef", TOTAL, "#ifdef LATER\n" + TOTAL + "#endif\n"),
    ("a field is gone", "    const char *name;\n", ""),
    ("a member is renamed", "RED, BLUE", "RED, GREEN"),
    ("a member is gone", "RED, BLUE", "RED"),
    ("an enum is renamed", "enum colour", "enum color"),
    ("a struct's other name is gone", "typedef struct line line_t;\n", ""),
    ("a parameter is added", "int twice(int value)", "int twice(int value, int times)"),
    (
        "a parameter is gone",
        "const struct line *lines, int size",
        "const struct line *lines",
        "i < size",
        "i < 3",
    ),
    ("a long body becomes short", BODY, "    return size;\n"),
    ("a long body becomes a constant", BODY, "    return 0;\n"),
    ("a long body becomes another constant", BODY, "    return -1;\n"),
    ("a long body aborts", BODY, "    abort();\n"),
)
RENAMES = (
    ("a field is renamed", "price", "cost"),
    ("a macro is renamed", "RATE", "RATES"),
)
HONEST = (
    Fix("an include", "int main(void) { return abs(-1); }\n", "#include <stdlib.h>\nint main(void) { return abs(-1); }\n", "implicit declaration of function 'abs'", "abs"),
    Fix("a prototype", "int main(void) { return later(1); }\nint later(int x) { return x; }\n", "int later(int x);\nint main(void) { return later(1); }\nint later(int x) { return x; }\n", "implicit declaration of function 'later'", "later"),
    Fix("a typo", '#include <stdio.h>\nint main(void) { prinft("a"); return 0; }\n', '#include <stdio.h>\nint main(void) { printf("a"); return 0; }\n', "implicit declaration of function 'prinft'", "prinft"),
    Fix("a semicolon", "int main(void) { int x = 1\n return x; }\n", "int main(void) { int x = 1;\n return x; }\n", "expected ',' or ';' before 'return'", "return"),
    Fix("a missing argument", "int f(int a, int b) { return a + b; }\nint main(void) { return f(1); }\n", "int f(int a, int b) { return a + b; }\nint main(void) { return f(1, 2); }\n", "too few arguments to function 'f'", "f(1)"),
    Fix("an argument too many", "int f(int a) { return a; }\nint main(void) { return f(1, 2); }\n", "int f(int a) { return a; }\nint main(void) { return f(1); }\n", "too many arguments to function 'f'", "f(1"),
    Fix("a parameter that callers pass", "int f(int a) { return a; }\nint main(void) { return f(1, 2); }\n", "int f(int a, int b) { return a + b; }\nint main(void) { return f(1, 2); }\n", "too many arguments to function 'f'", "f(1"),
    Fix("another type", "struct p { int x; };\nint main(void) { struct q a = { 1 }; return a.x; }\n", "struct p { int x; };\nint main(void) { struct p a = { 1 }; return a.x; }\n", "variable 'a' has initializer but incomplete type", "struct q"),
    Fix("an arrow", "struct p { int x; };\nint f(struct p *a) { return a.x; }\n", "struct p { int x; };\nint f(struct p *a) { return a->x; }\n", "'a' is a pointer; did you mean to use '->'?", ".x"),
    Fix("a declaration", "int f(void) { x = 1; return x; }\n", "int f(void) { int x = 1; return x; }\n", "'x' undeclared", "x"),
    Fix("a missing field", "struct p { int x; };\nint f(struct p a) { return a.y; }\n", "struct p { int x; int y; };\nint f(struct p a) { return a.y; }\n", "'struct p' has no member named 'y'", "y;"),
    Fix("a second definition goes", "int f(void) { return 1 + 2; }\nint g(void) { return f() + f() + f(); }\nint f(void) { return 1 + 2; }\n", "int f(void) { return 1 + 2; }\nint g(void) { return f() + f() + f(); }\n", "redefinition of 'f'", "f(void) { return 1 + 2; }\nint g"),
    Fix("a local variable is renamed", "int f(void) { int a = 1; int a = 2; return a; }\n", "int f(void) { int a = 1; int b = 2; return a + b; }\n", "redefinition of 'a'", "a = 2"),
    Fix("an include guard", "struct p { int x; };\nint f(struct q a);\n", "#ifndef P_H\n#define P_H\nstruct p { int x; };\nint f(struct p a);\n#endif\n", "redefinition of 'struct p'", "p {"),
    Fix("a right cast", '#include <stdio.h>\nvoid f(int *p) { printf("%p", p) }\n', '#include <stdio.h>\nvoid f(int *p) { printf("%p", (void *)p); }\n', "expected ';' before '}' token", "}"),
    Fix("a macro for a name", "int main(void) { return EXIT_SUCCES; }\n", "int main(void) { return 0; }\n", "'EXIT_SUCCES' undeclared", "EXIT"),
    Fix("a missing helper", "int f(int a) { return twice(a); }\n", "static int twice(int a) { return 2 * a; }\nint f(int a) { return twice(a); }\n", "implicit declaration of function 'twice'", "twice"),
    Fix("a break that is nowhere goes", "int f(int a)\n{\n    a++;\n    break;\n    return a;\n}\n", "int f(int a)\n{\n    a++;\n    return a;\n}\n", "break statement not within loop or switch", "break"),
    Fix("a string about suppressions", "const char *s = t;\n", 'const char *s = "#pragma GCC diagnostic (void)x; NOLINT";\n', "'t' undeclared here", "t;"),
    Fix("a pragma that was there", "#pragma GCC diagnostic push\nint f(void) { return x; }\n", "#pragma GCC diagnostic push\nint f(void) { int x = 1; return x; }\n", "'x' undeclared", "x"),
    Fix("#if 0 that was there", "#if 0\nint g(void) { return 2; }\n#endif\nint f(void) { return x; }\n", "#if 0\nint g(void) { return 2; }\n#endif\nint f(void) { int x = 1; return x; }\n", "'x' undeclared", "x;"),
    Fix("a tag for a struct that holds itself", "typedef struct {\n  int value;\n  Node *next;\n} Node;\n", "typedef struct Node {\n  int value;\n  struct Node *next;\n} Node;\n", "unknown type name 'Node'", "Node *"),
    Fix("another tag for a struct that holds itself", "typedef struct {\n  int value;\n  Node *next;\n} Node;\n", "typedef struct node {\n  int value;\n  struct node *next;\n} Node;\n", "expected specifier", "Node *"),
    Fix("a struct that holds itself, with its typedef apart", "typedef struct {\n  int value;\n  Node *next;\n} Node;\n", "struct node {\n  int value;\n  struct node *next;\n};\ntypedef struct node Node;\n", "expected specifier", "Node *"),
    Fix("a typedef for a struct", "struct p { int x; };\nint f(p a) { return a.x; }\n", "typedef struct p { int x; } p;\nint f(p a) { return a.x; }\n", "unknown type name 'p'", "p a"),
    Fix("a variable to be read into", '#include <stdio.h>\nint f(void) { scanf("%d", &n); return n; }\n', '#include <stdio.h>\nint f(void) { int n; scanf("%d", &n); return n; }\n', "'n' undeclared", "n)"),
    Fix("a counter without a value", "int f(int m) { for (i = 0; i < m; i++) m--; return m; }\n", "int f(int m) { int i; for (i = 0; i < m; i++) m--; return m; }\n", "'i' undeclared", "i ="),
    Fix("an array to be filled", "#include <stdio.h>\nint f(void) { fgets(buf, 10, stdin); return buf[0]; }\n", "#include <stdio.h>\nint f(void) { char buf[10]; fgets(buf, 10, stdin); return buf[0]; }\n", "'buf' undeclared", "buf,"),
    Fix("a list of arguments to be read", "#include <stdarg.h>\nint f(int n, ...) { va_start(ap, n); int x = va_arg(ap, int); va_end(ap); return x; }\n", "#include <stdarg.h>\nint f(int n, ...) { va_list ap; va_start(ap, n); int x = va_arg(ap, int); va_end(ap); return x; }\n", "'ap' undeclared", "ap,"),
    Fix("a name for nothing", "int f(void) { return FALSE; }\n", "#define FALSE 0\nint f(void) { return FALSE; }\n", "'FALSE' undeclared", "FALSE"),
    Fix("static was misspelt", "sttic int f(void) { return 1; }\nint g(void) { return f(); }\n", "static int f(void) { return 1; }\nint g(void) { return f(); }\n", "expected ';' before 'int'", " int f"),
    Fix("a directive was misspelt", "#inlude <stdlib.h>\nint f(int x) { return abs(x); }\n", "#include <stdlib.h>\nint f(int x) { return abs(x); }\n", "invalid preprocessing directive #inlude", "#inlude"),
    Fix("a condition without its bracket", "int f(void) {\n#if defined(LATER\n  return 2;\n#endif\n  return 1;\n}\n", "int f(void) {\n#if defined(LATER)\n  return 2;\n#endif\n  return 1;\n}\n", "missing ')' after \"defined\"", "#if"),
    Fix("a bracket after a name", "void startint *arg)\n{\n  *arg = 1;\n}\n", "void start(int *arg)\n{\n  *arg = 1;\n}\n", "expected '=' or ';' before '*' token", "*arg"),
)  # fmt: skip

SHOP = Shop(
    "c", "cart.c", BROKEN, WRONG, RIGHT, SAID,
    cheats=(("the file is emptied", BROKEN, "\n"), ("the file is a comment", BROKEN, "/*\n" + BROKEN + "*/\nint x;\n"), *CHEATS),
    cheats_beside=(
        *BESIDE,
        ("a cast through void", "    return found", "    struct line *p = (struct line *)(void *)lines;\n    p->price = 1;\n    return found"),
    ),
    honest=HONEST,
    renames=RENAMES,
    elsewhere=(
        Fix("a name made up as 0", "int f(int a) { return a + b; }\n", "int f(int a) { int b = 0; return a + b; }\n", "'b' undeclared (first use in this function)", "b;"),
        Fix("a name made up without a value", "int f(int a) { return a + b; }\n", "static int b;\nint f(int a) { return a + b; }\n", "'b' undeclared (first use in this function)", "b;"),
        Fix("a macro made up", "int f(int a) { return a + b; }\n", "#define b 0\nint f(int a) { return a + b; }\n", "'b' undeclared (first use in this function)", "b;"),
    ),
)  # fmt: skip

"""Java: ways to cheat, and honest fixes."""

from __future__ import annotations

from tests.preservation.fixes.fix import Fix, Shop

BROKEN = """\
import java.util.ArrayList;
import java.util.List;

public class Cart {
  public static final int RATE = 3;
  protected int seen = 0;

  public enum Colour { RED, BLUE }

  public interface Priced { int price(); }

  public record Line(String name, int price) implements Priced {}

  private final List<Line> lines = new ArrayList<>();

  public void add(Line line) {
    seen++;
    lines.add(lin);
  }

  public int count() {
    return lines.size() + seen;
  }

  public int total(boolean taxed) {
    int found = 0;
    for (Line line : lines) {
      found += line.price();
    }
    System.out.println("a string may say @SuppressWarnings: " + found);
    return taxed ? found * RATE : found;
  }
}
"""
WRONG = "lines.add(lin);"
RIGHT = "lines.add(line);"
SAID = "cannot find symbol: variable lin"
BODY = """    int found = 0;
    for (Line line : lines) {
      found += line.price();
    }
    System.out.println("a string may say @SuppressWarnings: " + found);
    return taxed ? found * RATE : found;
"""
ADD = "    seen++;\n    lines.add(lin);\n"

SHOP = Shop(
    "java", "Cart.java", BROKEN, WRONG, RIGHT, SAID,
    cheats=(
        ("the file is emptied", BROKEN, "\n"),
        ("the class is emptied", BROKEN, "public class Cart {}\n"),
        ("the file is a comment", BROKEN, "/*\n" + BROKEN + "*/\n"),
        ("the body is empty", ADD, ""),
        ("the body throws", ADD, "    throw new UnsupportedOperationException();\n"),
        ("the body returns", ADD, "    return;\n"),
        ("the statement is deleted", "    " + WRONG + "\n", ""),
        ("the statement is commented out", WRONG, "// lines.add(lin);"),
        ("if false", WRONG, "if (false) { lines.add(line); }"),
        ("if one is two", WRONG, "if (1 == 2) { lines.add(line); }"),
        ("swallowed", WRONG, "try { lines.add(line); } catch (Exception e) {}"),
        ("swallowed with a comment", WRONG, "try { lines.add(line); } catch (Throwable e) { /* fine */ }"),
        ("adds null", ADD, "    ;\n"),
    ),
    cheats_beside=(
        ("@SuppressWarnings", "  public void add", '  @SuppressWarnings("all")\n  public void add'),
        ("@SuppressWarnings with its package", "  public void add", '  @java.lang.SuppressWarnings("all")\n  public void add'),
        ("noinspection", "    " + RIGHT, "    //noinspection unchecked\n    " + RIGHT),
        ("NOSONAR", RIGHT, RIGHT + " // NOSONAR"),
        ("a raw type", "private final List<Line> lines", "private final List lines", "for (Line line : lines) {\n      found += line.price();", "for (Object line : lines) {\n      found += ((Line) line).price();"),
        ("a raw type made", "new ArrayList<>()", "new ArrayList()"),
        ("a method is renamed", "int count()", "int size()"),
        ("a method becomes private", "public int count()", "private int count()"),
        ("a method becomes the package's", "public int count()", "int count()"),
        ("a method is gone", "  public int count() {\n    return lines.size() + seen;\n  }\n", ""),
        ("a class becomes the package's", "public class Cart", "class Cart"),
        ("a constant becomes private", "public static final", "private static final"),
        ("a field becomes private", "protected int seen", "private int seen"),
        ("a member is renamed", "RED, BLUE", "RED, GREEN"),
        ("a member is gone", "RED, BLUE", "RED"),
        ("an interface's method is renamed", "interface Priced { int price(); }", "interface Priced { int cost(); }", "implements Priced {}", "implements Priced { public int cost() { return price; } }"),
        ("a record's part is renamed", "Line(String name, int price)", "Line(String title, int price)"),
        ("a record's part is gone", "Line(String name, int price)", "Line(int price)"),
        ("a parameter is added", "int count()", "int count(int start)"),
        ("a parameter is removed", "int total(boolean taxed)", "int total()", "taxed ? found * RATE : found", "found * RATE"),
        ("a long body becomes short", BODY, "    return RATE;\n"),
        ("a long body becomes a constant", BODY, "    return 0;\n"),
        ("a long body throws", BODY, '    throw new IllegalStateException("todo");\n'),
        ("a body becomes null", "return lines.size() + seen;", "return 0;"),
    ),
    honest=(
        Fix("an import", "class A { List<String> f() { return null; } }\n", "import java.util.List;\nclass A { List<String> f() { return null; } }\n", "cannot find symbol: class List", "List"),
        Fix("a typo", "class A { int f(String s) { return s.lenght(); } }\n", "class A { int f(String s) { return s.length(); } }\n", "cannot find symbol: method lenght()", "lenght"),
        Fix("a semicolon", "class A { int f() { int a = 1\n return a; } }\n", "class A { int f() { int a = 1;\n return a; } }\n", "';' expected", "1"),
        Fix("a missing return", "class A { int f(int a) { a++; } }\n", "class A { int f(int a) { a++; return a; } }\n", "missing return statement", "} }"),
        Fix("a right cast", "class A { int f(long a) { return a; } }\n", "class A { int f(long a) { return (int) a; } }\n", "incompatible types: possible lossy conversion", "a; }"),
        Fix("another type", "class A { int f(long a) { return a; } }\n", "class A { long f(long a) { return a; } }\n", "incompatible types: possible lossy conversion", "a; }"),
        Fix("a missing argument", "class A { int g(int a, int b) { return a + b; } int f() { return g(1); } }\n", "class A { int g(int a, int b) { return a + b; } int f() { return g(1, 2); } }\n", "method g in class A cannot be applied to given types", "g(1)"),
        Fix("a parameter that callers pass", "class A { public int g(int a) { return a; } int f() { return g(1, 2); } }\n", "class A { public int g(int a, int b) { return a + b; } int f() { return g(1, 2); } }\n", "method g in class A cannot be applied to given types", "g(1"),
        Fix("throws", "class A { void f() { Thread.sleep(1); } }\n", "class A { void f() throws InterruptedException { Thread.sleep(1); } }\n", "unreported exception InterruptedException", "sleep"),
        Fix("an exception is handled", "class A { void f() { Thread.sleep(1); } }\n", "class A { void f() { try { Thread.sleep(1); } catch (InterruptedException e) { Thread.currentThread().interrupt(); } } }\n", "unreported exception InterruptedException", "sleep"),
        Fix("a variable gets its value", "class A { int f() { int a; return a; } }\n", "class A { int f() { int a = 0; return a; } }\n", "variable a might not have been initialized", "a; } }"),
        Fix("a local variable is renamed", "class A { int f() { int a = 1; int a = 2; return a; } }\n", "class A { int f() { int a = 1; int b = 2; return a + b; } }\n", "variable a is already defined", "a = 2"),
        Fix("a second definition goes", "class A { int f() { return 1 + 2; } int g() { return f() + f() + f(); } int f() { return 1 + 2; } }\n", "class A { int f() { return 1 + 2; } int g() { return f() + f() + f(); } }\n", "method f() is already defined in class A", "f() { return 1 + 2; } int g"),
        Fix("an override that does not match", "class A implements Runnable { public void run(int a) { System.out.println(1); } }\n", "class A implements Runnable { public void run() { System.out.println(1); } }\n", "A is not abstract and does not override abstract method run() in Runnable", "class A"),
        Fix("a missing method", "class A implements Runnable { }\n", "class A implements Runnable { public void run() { System.out.println(1); } }\n", "A is not abstract and does not override abstract method run() in Runnable", "class A"),
        Fix("an unreachable statement goes", "class A { int f() { return 1; int a = 2; } }\n", "class A { int f() { return 1; } }\n", "unreachable statement", "int a"),
        Fix("a constructor's argument", "class B { B(int a) { System.out.println(a); } }\nclass A extends B { A() { } }\n", "class B { B(int a) { System.out.println(a); } }\nclass A extends B { A() { super(1); } }\n", "constructor B in class B cannot be applied to given types", "{ }"),
        Fix("a brace", "class A { int f() { return 1; }\n", "class A { int f() { return 1; } }\n", "reached end of file while parsing", "}"),
        Fix("a type argument", "import java.util.*;\nclass A { List<int> f() { return new ArrayList<>(); } }\n", "import java.util.*;\nclass A { List<Integer> f() { return new ArrayList<>(); } }\n", "unexpected type; required: reference", "int>"),
        Fix("a missing helper", "class A { int f(int a) { return twice(a); } }\n", "class A { int f(int a) { return twice(a); } private int twice(int a) { return 2 * a; } }\n", "cannot find symbol: method twice(int)", "twice"),
        Fix("the class is named as its file", "public class Basket { int f() { return 1; } }\n", "public class A { int f() { return 1; } }\n", "class Basket is public, should be declared in a file named Basket.java", "class"),
        Fix("a string about suppressions", "class A { String f() { return s; } }\n", 'class A { String f() { String s = "@SuppressWarnings NOSONAR"; return s; } }\n', "cannot find symbol: variable s", "s;"),
        Fix("a suppression that was there", '@SuppressWarnings("all") class A { int f(int a) { return b; } }\n', '@SuppressWarnings("all") class A { int f(int a) { return a; } }\n', "cannot find symbol: variable b", "b;"),
        Fix("a sum starts at 0", "class A { int f(int[] a) { for (int x : a) { sum += x; } return sum; } }\n", "class A { int f(int[] a) { int sum = 0; for (int x : a) { sum += x; } return sum; } }\n", "cannot find symbol: variable sum", "sum"),
        Fix("a field that a constructor sets", "class A { A(String name) { this.name = name; } String name() { return name; } }\n", "class A { private String name; A(String name) { this.name = name; } String name() { return name; } }\n", "cannot find symbol: variable name", "name ="),
        Fix("private was misspelt", "class A { privae int x = 1; int f() { return x; } }\n", "class A { private int x = 1; int f() { return x; } }\n", "<identifier> expected", "privae"),
    ),
    renames=(
        ("a constant is renamed", "RATE", "RATES"),
    ),
    elsewhere=(
        Fix("a name made up as 0", "class A { int f(int a) { return a + b; } }\n", "class A { int f(int a) { int b = 0; return a + b; } }\n", "cannot find symbol: variable b", "b;"),
        Fix("a field made up", "class A { int f(int a) { return a + b; } }\n", "class A { int b; int f(int a) { return a + b; } }\n", "cannot find symbol: variable b", "b;"),
    ),
)  # fmt: skip

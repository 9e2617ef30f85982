"""Python: ways to cheat, and honest fixes."""

from __future__ import annotations

from tests.preservation.fixes.fix import Fix, Shop

BROKEN = """\
from __future__ import annotations

import enum
from dataclasses import dataclass

__all__ = ["Cart", "Colour", "RATE", "total"]

RATE = 3


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass
class Line:
    name: str
    price: int


class Cart:
    def __init__(self) -> None:
        self.lines: list[Line] = []

    def add(self, line: Line) -> None:
        self.lines.append(lin)

    def count(self) -> int:
        return len(self.lines)


def total(cart: Cart, *, taxed: bool = False) -> int:
    found = sum(line.price for line in cart.lines)
    if taxed:
        found += found * RATE
    print("noqa is a word", found)
    return found
"""
WRONG = "self.lines.append(lin)"
RIGHT = "self.lines.append(line)"
SAID = "Undefined name `lin`"
BODY = """    found = sum(line.price for line in cart.lines)
    if taxed:
        found += found * RATE
    print("noqa is a word", found)
    return found
"""
ADD = "        self.lines.append(lin)\n"

ANY = ("import enum\n", "import enum\nfrom typing import Any\n")
TYPING = ("import enum\n", "import enum\nimport typing\n")
CHECKING = ("import enum\n", "import enum\nfrom typing import TYPE_CHECKING\n")

SHOP = Shop(
    "python", "cart.py", BROKEN, WRONG, RIGHT, SAID,
    cheats=(
        ("the file is emptied", BROKEN, ""),
        ("only a comment is left", BROKEN, "# " + BROKEN.replace("\n", "\n# ")),
        ("the file is a string", BROKEN, "'''\n" + BROKEN + "'''\n"),
        ("the body is pass", WRONG, "pass"),
        ("the body is dots", WRONG, "..."),
        ("the body is a docstring", WRONG, '"""Add a line."""'),
        ("the body raises", WRONG, "raise NotImplementedError"),
        ("the body raises with a word", WRONG, 'raise NotImplementedError("later")'),
        ("the body returns nothing", WRONG, "return None"),
        ("the body is a constant", WRONG, "None"),
        ("the statement is commented out", ADD, "        # self.lines.append(lin)\n        pass\n"),
        ("the statement is commented out and something else is done", WRONG, "print(1)  # self.lines.append(lin)"),
        ("if False", ADD, "        if False:\n            self.lines.append(line)\n"),
        ("if 0", ADD, "        if 0:\n            self.lines.append(line)\n"),
        ("if not True", ADD, "        if not True:\n            self.lines.append(line)\n"),
        ("while False", ADD, "        while False:\n            self.lines.append(line)\n"),
        ("if TYPE_CHECKING", ADD, "        if TYPE_CHECKING:\n            self.lines.append(line)\n", *CHECKING),
        ("after a return", ADD, "        return\n        self.lines.append(line)\n"),
        ("swallowed", ADD, "        try:\n            self.lines.append(line)\n        except Exception:\n            pass\n"),
        ("swallowed by name", ADD, "        try:\n            self.lines.append(lin)\n        except NameError:\n            pass\n"),
        ("suppress()", ADD, "        with contextlib.suppress(Exception):\n            self.lines.append(line)\n", "import enum", "import contextlib\nimport enum"),
        ("noqa", WRONG, WRONG + "  # noqa"),
        ("noqa in capitals with a code", WRONG, WRONG + "  # NOQA:F821"),
        ("noqa without a space", WRONG, WRONG + "  #noqa"),
        ("noqa behind other words", WRONG, WRONG + "  # is fine # noqa: F821"),
        ("noqa with a form feed", WRONG, WRONG + "  #\fnoqa"),
        ("type: ignore with a code", WRONG, WRONG + "  # type: ignore[name-defined]"),
        ("type:ignore without a space", WRONG, WRONG + "  #type:ignore"),
        ("mypy: ignore-errors", "", "# mypy: ignore-errors\n"),
        ("ruff: noqa", "", "# ruff: noqa\n"),
        ("flake8: noqa", "", "# flake8: noqa\n"),
        ("no_type_check", "    def add", "    @no_type_check\n    def add", "import enum\n", "import enum\nfrom typing import no_type_check\n"),
        ("typing.no_type_check", "    def add", "    @typing.no_type_check\n    def add", *TYPING),
        ("globals()", WRONG, 'self.lines.append(globals()["lin"])  # noqa'),
    ),
    cheats_beside=(
        ("pyright: ignore", RIGHT, RIGHT + "  # pyright: ignore"),
        ("pylint: disable", RIGHT, RIGHT + "  # pylint: disable=undefined-variable"),
        ("pragma: no cover", RIGHT, RIGHT + "  # pragma: no cover"),
        ("pyre-ignore", RIGHT, RIGHT + "  # pyre-ignore[10]"),
        ("Any for a parameter", *ANY, "line: Line) -> None", "line: Any) -> None"),
        ("Any for a result", *ANY, "def count(self) -> int", "def count(self) -> Any"),
        ("Any in a list", *ANY, "list[Line]", "list[Any]"),
        ("Any in a union", *ANY, "line: Line) -> None", "line: Line | Any) -> None"),
        ("typing.Any", *TYPING, "line: Line) -> None", "line: typing.Any) -> None"),
        ("Any under another name", "import enum\n", "import enum\nimport typing as t\n", "line: Line) -> None", "line: t.Any) -> None"),
        ("cast(Any", "import enum\n", "import enum\nfrom typing import Any, cast\n", "append(line)", "append(cast(Any, line))"),
        ("cast with a string", "import enum\n", "import enum\nfrom typing import Any, cast\n", "append(line)", 'append(cast("Any", line))'),
        ("typing.cast(Any", *TYPING, "append(line)", "append(typing.cast(typing.Any, line))"),
        ("fmt: off", "RATE = 3", "# fmt: off\nRATE = 3"),
        ("warnings off", "RATE = 3", 'import warnings\nwarnings.filterwarnings("ignore")\nRATE = 3'),
        ("a function is renamed", "def total", "def sum_up"),
        ("a function becomes private", "def total", "def _total"),
        ("a method is renamed", "def count", "def size"),
        ("a method is deleted", "\n    def count(self) -> int:\n        return len(self.lines)\n", ""),
        ("a field is renamed", "    price: int", "    cost: int"),
        ("a field is deleted", "    name: str\n", ""),
        ("a member is renamed", "BLUE = 2", "GREEN = 2"),
        ("a member is deleted", "    BLUE = 2\n", ""),
        ("__all__ is shorter", '"RATE", "total"', '"RATE"'),
        ("__all__ has another name", '"total"]', '"sum_up"]'),
        ("__all__ is gone", '__all__ = ["Cart", "Colour", "RATE", "total"]\n', ""),
        ("a parameter is added", "def count(self)", "def count(self, start: int)"),
        ("a parameter is removed", "def add(self, line: Line)", "def add(self)", "append(line)", 'append(Line("", 0))'),
        ("a parameter by name is removed", "cart: Cart, *, taxed: bool = False", "cart: Cart", "if taxed:", "if RATE:"),
        ("a default is taken away", "taxed: bool = False", "taxed: bool"),
        ("parameters change places", "cart: Cart, *, taxed: bool = False", "taxed: bool, cart: Cart"),
        ("a long body becomes short", BODY, "    return RATE\n"),
        ("a long body becomes a constant", BODY, "    return 0\n"),
        ("a long body becomes another constant", BODY, "    return 42\n"),
        ("a long body raises", BODY, '    msg = "todo"\n    raise NotImplementedError(msg)\n'),
        ("a function moves under TYPE_CHECKING", "def total", "if TYPE_CHECKING:\n  def total", *CHECKING),
        ("exit before the end", "def total", "raise SystemExit\n\n\ndef total"),
        ("half of it is deleted", "\n\ndef total(cart: Cart, *, taxed: bool = False) -> int:\n" + BODY, "\n\ntotal = len\n"),
    ),
    honest=(
        Fix("an import", "def here():\n    return os.getcwd()\n", "import os\n\n\ndef here():\n    return os.getcwd()\n", "Undefined name `os`", "os."),
        Fix("typing.Any is imported", "def here(x: Any) -> Any:\n    return x\n", "from typing import Any\n\n\ndef here(x: Any) -> Any:\n    return x\n", "Undefined name `Any`", "Any"),
        Fix("a typo", "def f(values):\n    return sum(vales)\n", "def f(values):\n    return sum(values)\n", "Undefined name `vales`", "vales"),
        Fix("a typo of a parameter", "def f(vales):\n    return sum(values)\n", "def f(values):\n    return sum(values)\n", "Undefined name `values`", "values"),
        Fix("a typo of a variable", "totl = 1\nprint(total)\n", "total = 1\nprint(total)\n", "Undefined name `total`", "total)"),
        Fix("a missing argument", "def f(a, b):\n    return a + b\n\n\nprint(f(1))\n", "def f(a, b):\n    return a + b\n\n\nprint(f(1, 2))\n", 'Missing positional argument "b" in call to "f"', "f(1)"),
        Fix("a parameter gets a default", "def f(a, b):\n    return a + b\n\n\nprint(f(1))\n", "def f(a, b=0):\n    return a + b\n\n\nprint(f(1))\n", 'Missing positional argument "b" in call to "f"', "f(1)"),
        Fix("a parameter that callers pass", "def f(a):\n    return a\n\n\nprint(f(1, 2))\n", "def f(a, b):\n    return a + b\n\n\nprint(f(1, 2))\n", 'Too many arguments for "f"', "f(1"),
        Fix("self is missing", "class A:\n    def f():\n        return 1\n", "class A:\n    def f(self):\n        return 1\n", "Method must have at least one argument", "def f"),
        Fix("another type", "def f(a: int) -> str:\n    return a + 1\n", "def f(a: int) -> int:\n    return a + 1\n", "Incompatible return value type", "a + 1"),
        Fix("a missing return", "def f(a: int) -> int:\n    a += 1\n", "def f(a: int) -> int:\n    a += 1\n    return a\n", "Missing return statement", "def f"),
        Fix("a missing colon", "def f(a)\n    return a\n", "def f(a):\n    return a\n", "expected ':'", "\n    return"),
        Fix("an indentation", "def f(a):\nreturn a\n", "def f(a):\n    return a\n", "expected an indented block", "return"),
        Fix("a local variable is renamed", "def f(a):\n    l = a\n    return l + 1\n", "def f(a):\n    length = a\n    return length + 1\n", "Ambiguous variable name: `l`", "l ="),
        Fix("a cast", "def f(a: str) -> int:\n    return a\n", "def f(a: str) -> int:\n    return int(a)\n", "Incompatible return value type", "return"),
        Fix("a call that is wrong goes", "def f(a: int) -> int:\n    return str(a)\n", "def f(a: int) -> int:\n    return a\n", "Incompatible return value type", "return"),
        Fix("an unused import goes", "import os\nimport sys\n\nprint(sys.argv)\n", "import sys\n\nprint(sys.argv)\n", "`os` imported but unused", "os"),
        Fix("an unused variable goes", "def f(a):\n    unused = a + 1\n    return a\n", "def f(a):\n    return a\n", "Local variable `unused` is assigned to but never used", "unused"),
        Fix("a second definition goes", "def f(a):\n    return a\n\n\ndef g():\n    return f(1) + f(2) + f(3)\n\n\ndef f(a):\n    return a\n", "def f(a):\n    return a\n\n\ndef g():\n    return f(1) + f(2) + f(3)\n", "Redefinition of unused `f` from line 1", "def f(a):\n    return a\n\n\ndef g"),
        Fix("a missing helper", "def f(a):\n    return twice(a)\n", "def twice(a):\n    return 2 * a\n\n\ndef f(a):\n    return twice(a)\n", "Undefined name `twice`", "twice"),
        Fix("an exception is handled", "def f(a):\n    return int(a\n", "def f(a):\n    try:\n        return int(a)\n    except ValueError:\n        return 0\n", "'(' was never closed", "(a\n"),
        Fix("a line is split", "def f(a, b, c):\n    return a + b + c + undefined\n", "def f(a, b, c):\n    first = a + b\n    return first + c\n", "Undefined name `undefined`", "undefined"),
        Fix("None is looked for", "def f(a: str | None) -> int:\n    return len(a)\n", "def f(a: str | None) -> int:\n    if a is None:\n        return 0\n    return len(a)\n", "Argument 1 to len has incompatible type", "len"),
        Fix("a constant for a name", "def f():\n    return EXIT_SUCCES\n", "def f():\n    return 0\n", "Undefined name `EXIT_SUCCES`", "EXIT"),
        Fix("a suppression stays where it was", "x = 1  # noqa: E501\ny = z\n", "x = 1  # noqa: E501\ny = x\n", "Undefined name `z`", "z"),
        Fix("a suppression moves", "x = y  # noqa: E501\nz = 1\n", "x = 1\nz = 1  # noqa: E501\n", "Undefined name `y`", "y"),
        Fix("a suppression becomes narrower", "x = y  # noqa\nz = q\n", "x = y  # noqa: F821\nz = 1\n", "Undefined name `q`", "q"),
        Fix("a string about suppressions", "x = y\n", 'x = "write # noqa or # type: ignore, or x: Any"\n', "Undefined name `y`", "y"),
        Fix("a docstring about suppressions", "def f():\n    return y\n", 'def f():\n    """Say # noqa."""\n    return 1 + len("a")\n', "Undefined name `y`", "y"),
        Fix("a stray line goes", "def f(a):\n    return a\n\n```\n", "def f(a):\n    return a\n", "invalid syntax", "```"),
        Fix("imports for types alone", "def f(a: Path) -> None:\n    print(a)\n", "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from pathlib import Path\n\n\ndef f(a: Path) -> None:\n    print(a)\n", "Undefined name `Path`", "Path"),
        Fix("an abstract method", "class A:\n    def f(self) -> int:\n        pass\n", "class A:\n    def f(self) -> int:\n        raise NotImplementedError\n", "Missing return statement", "def f"),
        Fix("dead code that was there", "def f(a):\n    return b\n    print(a)\n", "def f(a):\n    return a\n    print(a)\n", "Undefined name `b`", "b"),
        Fix("a name in __all__ that nobody defines", '__all__ = ["f", "g"]\n\n\ndef f():\n    return 1\n', '__all__ = ["f"]\n\n\ndef f():\n    return 1\n', "Undefined name `g` in `__all__`", '"g"'),
        Fix("an optional import", "import tomllib\nimport tomly\n\nprint(tomllib)\n", "import tomllib\n\ntry:\n    import tomly\nexcept ImportError:\n    tomly = None\n\nprint(tomllib)\n", "Cannot find module tomly", "tomly"),
        Fix("a sum starts at 0", "def f(xs):\n    for x in xs:\n        total += x\n    return total\n", "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n", "Undefined name `total`", "total +"),
        Fix("a list starts empty", "def f(xs):\n    for x in xs:\n        out.append(x)\n    return out\n", "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n    return out\n", "Undefined name `out`", "out."),
        Fix("any becomes Any", "def f(x: any) -> any:\n    return x\n", "from typing import Any\n\n\ndef f(x: Any) -> Any:\n    return x\n", 'Function "builtins.any" is not valid as a type', "x: any"),
        Fix("a constant that was missing", "def f(x):\n    return x + LIMIT\n", "LIMIT = 100\n\n\ndef f(x):\n    return x + LIMIT\n", "Undefined name `LIMIT`", "LIMIT"),
        Fix("an error that was missing", "def f(x):\n    raise ShopError(x)\n", "class ShopError(Exception):\n    pass\n\n\ndef f(x):\n    raise ShopError(x)\n", "Undefined name `ShopError`", "ShopError"),
        Fix("a local variable's type is dropped", "def f(x: int) -> int:\n    y: str = x\n    return x + len(str(y))\n", "def f(x: int) -> int:\n    y = x\n    return x + len(str(y))\n", "Incompatible types in assignment", "y:"),
        Fix("a global that a function sets", "def f():\n    global count\n    count += 1\n", "count = 0\n\n\ndef f():\n    global count\n    count += 1\n", 'name "count" is not defined', "count +"),
        Fix("a table that a function looks into", "def f(k):\n    if k in _cache:\n        return _cache[k]\n    return None\n", "_cache = {}\n\n\ndef f(k):\n    if k in _cache:\n        return _cache[k]\n    return None\n", "Undefined name `_cache`", "_cache"),
        Fix("an optional field", "from typing import Optional\n\n\nclass A:\n    x: int = None\n", "from typing import Optional\n\n\nclass A:\n    x: Optional[int] = None\n", "Incompatible types in assignment", "x:"),
        Fix("a logger", "def f(x):\n    logger.info(x)\n", "import logging\n\nlogger = logging.getLogger(__name__)\n\n\ndef f(x):\n    logger.info(x)\n", "Undefined name `logger`", "logger"),
        Fix("a second type of a field goes", "class A:\n    x: int = 1\n    x: int = 2\n", "class A:\n    x: int = 1\n    x = 2\n", 'Name "x" already defined on line 2', "x: int = 2"),
        Fix("true in lower case", 'def f():\n    return {"a": true, "b": 1}\n', 'def f():\n    return {"a": True, "b": 1}\n', "Undefined name `true`", "true"),
        Fix("a bracket after a class's name", "class BadErrorValueError):\n    pass\n", "class BadError(ValueError):\n    pass\n", "unmatched ')'", "):"),
    ),
    renames=(
        ("a class is renamed", "Cart", "Basket"),
        ("a constant is renamed", "RATE", "RATES"),
        ("a parameter by name is renamed", "taxed", "with_tax"),
    ),
    elsewhere=(
        Fix("Any under an imported name", 'def f(x: int) -> int:\n    return "s"\n', 'from typing import Any as A\n\n\ndef f(x: int) -> A:\n    return "s"\n', "Incompatible return value type", "return"),
        Fix("Any beside a type, imported already", 'from typing import Any\n\n\ndef f(x: int) -> int:\n    return "s"\n', 'from typing import Any\n\n\ndef f(x: int) -> int | Any:\n    return "s"\n', "Incompatible return value type", "return"),
        Fix("Any beside a type, used already", 'from typing import Any\n\ny: Any = 1\nx: int = "s"\n', 'from typing import Any\n\ny: Any = 1\nx: int | Any = "s"\n', "Incompatible types in assignment", "x"),
        Fix("if not TYPE_CHECKING", 'from typing import TYPE_CHECKING\n\n\ndef f(x: int) -> None:\n    print(x + "s")\n', 'from typing import TYPE_CHECKING\n\n\ndef f(x: int) -> None:\n    if not TYPE_CHECKING:\n        print(x + "s")\n', "Unsupported operand", "x + "),
        Fix("a result's type is dropped", 'def f(x: int) -> int:\n    return "s"\n', 'def f(x: int):\n    return "s"\n', "Incompatible return value type", "return"),
        Fix("a parameter's type is dropped", 'def f(x: int) -> int:\n    return x + "s"\n', 'def f(x) -> int:\n    return x + "s"\n', "Unsupported operand types", "x + "),
        Fix("a field's type is dropped", 'class A:\n    x: int = "s"\n', 'class A:\n    x = "s"\n', "Incompatible types in assignment", "x"),
        Fix("a name made up as None", "def f(x):\n    return x + y\n", "def f(x):\n    y = None\n    return x + y\n", "Undefined name `y`", "y"),
        Fix("a name made up as 0", "def f(x):\n    return x + y\n", "y = 0\n\n\ndef f(x):\n    return x + y\n", "Undefined name `y`", "y"),
        Fix("a function made up that does nothing", "def f(x):\n    return g(x)\n", "def g(x):\n    pass\n\n\ndef f(x):\n    return g(x)\n", "Undefined name `g`", "g("),
        Fix("a class made up that holds nothing", "def f(x):\n    return g(x)\n", "class g: pass\n\n\ndef f(x):\n    return g(x)\n", "Undefined name `g`", "g("),
        Fix("a lambda made up that gives nothing", "def f(x):\n    return g(x)\n", "g = lambda *a: None\n\n\ndef f(x):\n    return g(x)\n", "Undefined name `g`", "g("),
        Fix("for a Python that nobody runs", 'import sys\n\n\ndef f(x: int) -> int:\n    return x + "s"\n', 'import sys\n\n\ndef f(x: int) -> int:\n    if sys.version_info < (3, 0):\n        return x + "s"\n    return 0\n', "Unsupported operand", "x +"),
        Fix("else of TYPE_CHECKING", 'from typing import TYPE_CHECKING\n\n\ndef f(x: int) -> None:\n    print(x + "s")\n', 'from typing import TYPE_CHECKING\n\n\ndef f(x: int) -> None:\n    if TYPE_CHECKING:\n        pass\n    else:\n        print(x + "s")\n', "Unsupported operand", "x + "),
    ),
)  # fmt: skip

"""Lines that a fix adds: into the import block as it is there, or beside the complaint, indented as the code is."""

from __future__ import annotations

import pytest

from holdfast.rules.match.apply_rule import NoFit, Rewritten, rewrite
from tests.rules.complaint import complaint, learned, undefined

IMPORT = learned("print(os.sep)\n", "import os\n\nprint(os.sep)\n", undefined("os", 1, 7))


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("x(os.sep)\n", 1, "import os\n\nx(os.sep)\n"),
        (
            "import abc\nimport sys\n\nx(os.sep)\n",
            4,
            "import abc\nimport os\nimport sys\n\nx(os.sep)\n",
        ),
        (
            "import sys\nimport abc\n\nx(os.sep)\n",
            4,
            "import sys\nimport abc\nimport os\n\nx(os.sep)\n",
        ),
        (
            '#!/bin/x\n"""Doc."""\n\nx(os.sep)\n',
            4,
            '#!/bin/x\n"""Doc."""\n\nimport os\n\nx(os.sep)\n',
        ),
        (
            "from __future__ import annotations\n\nimport sys\nx(os.sep)\n",
            4,
            "from __future__ import annotations\n\nimport os\nimport sys\nx(os.sep)\n",
        ),
        (
            "from a import (\n    b,\n)\nx(os.sep)\n",
            4,
            "import os\nfrom a import (\n    b,\n)\nx(os.sep)\n",
        ),
        ("import sys\r\nx(os.sep)\r\n", 2, "import os\r\nimport sys\r\nx(os.sep)\r\n"),
    ],
)
def test_an_import_goes_where_imports_are(text: str, line: int, expected: str) -> None:
    made = rewrite(IMPORT, text, undefined("os", line, 3))
    assert isinstance(made, Rewritten)
    assert made.text == expected


def test_an_import_that_is_there_already_is_not_added_again() -> None:
    assert rewrite(IMPORT, "import os\nx(os.sep)\n", undefined("os", 2, 3)) == NoFit(
        "the place of an edit is not there"
    )


def test_a_line_before_the_complaint_is_indented_as_that_line_is() -> None:
    before, after = "def f():\n    use(x + 1)\n", "def f():\n    x = 0\n    use(x + 1)\n"
    rule = learned(before, after, undefined("x", 2, 9))
    text = "class A:\n    def g(self):\n        if 1:\n            use(total * 2)\n"
    made = rewrite(rule, text, undefined("total", 4, 17))
    assert isinstance(made, Rewritten)
    assert made.text == text.replace("use(", "total = 0\n            use(")
    bare = text.replace(" * 2", "")
    assert rewrite(rule, bare, undefined("total", 4, 17)) == NoFit(
        "the message has an argument that is in no example"
    )


def test_a_line_that_begins_wrong_is_indented_as_the_one_before() -> None:
    rule = learned(
        "def f():\n    a = 1\n      b = 2\n",
        "def f():\n    a = 1\n    b = 2\n",
        complaint("unexpected indent", line=3, column=7),
    )
    made = rewrite(
        rule, "if 1:\n  x = 1\n\n     y = 2\n", complaint("unexpected indent", line=4, column=6)
    )
    assert isinstance(made, Rewritten)
    assert made.text == "if 1:\n  x = 1\n\n  y = 2\n"

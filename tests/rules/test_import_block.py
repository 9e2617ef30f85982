"""Where a new import goes, and how the lines around it stay."""

from __future__ import annotations

import pytest

from holdfast.rules.import_block import ImportEdit, place_import


def placed(text: str, new: str, language: str = "python") -> str:
    edit = place_import(text, new, language)
    assert edit is not None
    return text[: edit.at] + edit.text + text[edit.at :]


def test_a_line_that_is_there_is_not_added_again() -> None:
    assert place_import("import os  \nx = 1\n", "import os", "python") is None


@pytest.mark.parametrize(
    ("block", "new", "expected"),
    [
        ("import abc\nimport os\n", "import json", "import abc\nimport json\nimport os\n"),
        ("import abc\nimport os\n", "import sys", "import abc\nimport os\nimport sys\n"),
        ("import os\nimport json\n", "import abc", "import os\nimport json\nimport abc\n"),
        ("import os\nfrom a import b\n", "import sys", "import os\nimport sys\nfrom a import b\n"),
        (
            "from a import (\n    b,\n    c,\n)\n",
            "from d import e",
            "from a import (\n    b,\n    c,\n)\nfrom d import e\n",
        ),
        ("import abc\n\nimport os\n", "import re", "import abc\n\nimport os\nimport re\n"),
    ],
)
def test_an_import_keeps_the_order_of_a_sorted_block_and_else_is_last(
    block: str, new: str, expected: str
) -> None:
    assert placed(f"{block}\nx = 1\n", new) == f"{expected}\nx = 1\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n", "import re\n\nx = 1\n"),
        ("def f():\n    pass\n", "import re\n\n\ndef f():\n    pass\n"),
        ("\ndef f():\n    pass\n", "import re\n\n\ndef f():\n    pass\n"),
        ("\n\n\nx = 1\n", "import re\n\n\n\nx = 1\n"),
        ('"""Words."""\nx = 1\n', '"""Words."""\nimport re\n\nx = 1\n'),
        ('"""Words."""\n\nx = 1\n', '"""Words."""\n\nimport re\n\nx = 1\n'),
        ("#!/bin/python\nx = 1\n", "#!/bin/python\nimport re\n\nx = 1\n"),
        ("x = 1\r\n", "import re\r\n\r\nx = 1\r\n"),
        ("", "import re\n\n"),
    ],
)
def test_a_first_import_is_below_the_header_with_blank_lines_as_people_write_them(
    text: str, expected: str
) -> None:
    assert placed(text, "import re") == expected


def test_an_include_is_put_below_the_others() -> None:
    text = "#include <stdio.h>\n\nint x;\n"
    assert place_import(text, "#include <string.h>", "c") == ImportEdit(19, "#include <string.h>\n")

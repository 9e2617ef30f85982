"""Where a new import goes, and how the lines around it stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.rules.import_block import ImportEdit, import_lines, place_import
from holdfast.syntax.edits import Edit


def placed(text: str, new: str, language: str = "python") -> str:
    edit = place_import(text, new, language)
    assert edit is not None
    return text[: edit.at] + edit.text + text[edit.at :]


def test_a_line_that_is_there_is_not_added_again() -> None:
    assert place_import("import os  \nx = 1\n", "import os", "python") is None
    listed = 'package a\n\nimport (\n\t"fmt"\n)\n'
    assert place_import(listed, 'import "fmt"', "go") is None


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


@pytest.mark.parametrize(
    ("language", "text", "new", "expected"),
    [
        ("go", "package a\n\nfunc f() {}\n", 'import "fmt"', 'package a\n\nimport "fmt"\n\nfunc f() {}\n'),
        ("go", '// A.\npackage a\n\nimport "os"\n\nfunc f() {}\n', 'import "fmt"', '// A.\npackage a\n\nimport "fmt"\nimport "os"\n\nfunc f() {}\n'),
        ("go", 'package a\n\nimport (\n\t"fmt"\n\t"strings"\n)\n', 'import "os"', 'package a\n\nimport (\n\t"fmt"\n\t"os"\n\t"strings"\n)\n'),
        ("go", 'package a\n\nimport (\n\t"fmt"\n\n\t"x/y"\n)\n', 'import "os"', 'package a\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"x/y"\n)\n'),
        ("java", "package a;\n\nclass A {}\n", "import b.C;", "package a;\n\nimport b.C;\n\nclass A {}\n"),
        ("java", "package a;\n\nimport b.A;\nimport b.D;\n\nclass A {}\n", "import b.C;", "package a;\n\nimport b.A;\nimport b.C;\nimport b.D;\n\nclass A {}\n"),
        ("rust", "//! Doc.\n#![allow(x)]\n\nuse a::b;\nuse c::{\n    d,\n};\nfn f() {}\n", "use b::e;", "//! Doc.\n#![allow(x)]\n\nuse a::b;\nuse b::e;\nuse c::{\n    d,\n};\nfn f() {}\n"),
        ("rust", "fn f() {}\n", "use b::e;", "use b::e;\n\nfn f() {}\n"),
        ("javascript", "'use strict';\nconst a = require('a');\nlet b = 1;\n", "const c = require('c');", "'use strict';\nconst a = require('a');\nconst c = require('c');\nlet b = 1;\n"),
        ("javascript", "#!/bin/node\nimport a from 'a';\nf();\n", "import b from 'b';", "#!/bin/node\nimport a from 'a';\nimport b from 'b';\nf();\n"),
        ("typescript", "import { a } from 'a';\nimport {\n  c,\n} from 'c';\nexport {};\n", "import { b } from 'b';", "import { a } from 'a';\nimport {\n  c,\n} from 'c';\nimport { b } from 'b';\nexport {};\n"),
        ("c", "#pragma once\n#include <a.h>\n#include <c.h>\nint x;\n", "#include <b.h>", "#pragma once\n#include <a.h>\n#include <b.h>\n#include <c.h>\nint x;\n"),
        ("c", "#include <stdio.h>\n\nint x;\n", "#include <stdbool.h>", "#include <stdbool.h>\n#include <stdio.h>\n\nint x;\n"),
        ("python", "import sys\nx = 1\n", "import os", "import os\nimport sys\nx = 1\n"),
        ("c", "#ifndef A_H\n#define A_H\n\nint x;\n#endif\n", "#include <b.h>", "#ifndef A_H\n#define A_H\n\n#include <b.h>\n\nint x;\n#endif\n"),
        ("c", "/* A. */\nint x;\n", "#include <b.h>", "/* A. */\n#include <b.h>\n\nint x;\n"),
        ("cpp", "#include <b>\n#include <a>\n\nint x;\n", "#include <aa>", "#include <b>\n#include <a>\n#include <aa>\n\nint x;\n"),
        ("python", "from __future__ import annotations\nx = 1\n", "import re", "from __future__ import annotations\nimport re\n\nx = 1\n"),
        ("python", "'''D.\n\nE.\n'''\n\n\n\nclass A:\n    pass\n", "import re", "'''D.\n\nE.\n'''\n\nimport re\n\n\nclass A:\n    pass\n"),
        ("python", "# A.\n\n\n@d\ndef f(): ...\n", "import re", "# A.\n\nimport re\n\n\n@d\ndef f(): ...\n"),
        ("python", "# A.\n\nasync def f(): ...\n", "import re", "# A.\n\nimport re\n\n\nasync def f(): ...\n"),
        ("python", "import os\nx = 1\nimport zz\n", "import yy", "import os\nimport yy\nx = 1\nimport zz\n"),
        ("python", "import os\n# about\nimport zz\n\nx = 1\n", "import yy", "import os\n# about\nimport yy\nimport zz\n\nx = 1\n"),
        ("python", "import os\nimport zz\nfrom a import b\nfrom c import d\n", "from b import e", "import os\nimport zz\nfrom a import b\nfrom b import e\nfrom c import d\n"),
        ("python", "import os\nfrom a import (\n    b\n", "import zz", "import os\nimport zz\nfrom a import (\n    b\n"),
        ("python", "x = 1", "import a", "import a\n\nx = 1"),
        ("python", "\n\n", "import a", "import a\n\n\n"),
        ("python", "import os\r\nx = 1\r\n", "import re", "import os\r\nimport re\r\nx = 1\r\n"),
    ],
)  # fmt: skip
def test_an_import_goes_where_its_language_has_imports(
    language: str, text: str, new: str, expected: str
) -> None:
    assert placed(text, new, language) == expected


@pytest.mark.parametrize(
    ("language", "after", "lines"),
    [
        ("python", "import a\nx\n", ["import a"]),
        ("python", "import a\n\nfrom b import c\nx\n", ["import a", "from b import c"]),
        ("python", "from __future__ import a\nx\n", []),
        ("python", "import a\ny = 1\nx\n", []),
        ("python", "imports\nx\n", []),
        ("c", "#include <a.h>\nx\n", ["#include <a.h>"]),
        ("c", "import a\nx\n", []),
        ("go", '\t"math/rand"\n\tr "x/y"\nx\n', ['import "math/rand"', 'import r "x/y"']),
        ("go", '\t"a",\nx\n', []),
        ("any", "import a\nx\n", []),
    ],
)
def test_an_edit_that_adds_only_imports_has_their_lines(
    language: str, after: str, lines: list[str]
) -> None:
    edit = Edit(0, 0, 0, len(after) - 2)
    assert import_lines(edit, after, language) == lines
    assert import_lines(replace(edit, end=1), after, language) == []

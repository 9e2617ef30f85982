"""A program for a project's own Python, which may be old: compile files, print the errors as JSON.

It prints one object a line; the last is `{"done": true}`. A single argument is the name of the text
on stdin; several are the names of files to read.

Most files have no error: `json`, `tokenize`, `ast` and `typing` would take most of the time then.
"""

from __future__ import annotations

import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Union  # noqa: UP035 - it runs on Python 3.8, too

    Fields = Dict[str, Union[str, int, bool, None]]  # noqa: UP006, UP007 - as above

PARSE_ONLY = 0x400
"""The flag of `compile` that `ast` calls PyCF_ONLY_AST."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def main() -> None:
    """Print the warnings and the error of each file, and the end mark."""
    paths = sys.argv[1:]
    if len(paths) == 1:
        print_errors(paths[0], sys.stdin.buffer.read())
    else:
        for path in paths:
            with open(path, "rb") as file:  # noqa: PTH123 - to import `pathlib` takes longer
                print_errors(path, file.read())

    sys.stdout.write('{"done": true}\n')


def print_errors(path: str, source: bytes) -> None:
    """Print the warnings and the error of one file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = compile_source(source)

    for each in caught:
        print_line(
            {
                "path": path,
                "type": each.category.__name__,
                "message": str(each.message),
                "line": each.lineno,
                "column": 1,
            }
        )

    if error is not None:
        print_line({"path": path, **error})


def compile_source(source: bytes) -> Fields | None:
    """Return the error, or None."""
    # In two steps: the parser counts columns in characters, and the later passes in bytes.
    unit = "characters"
    try:
        # As text, and without a file name: else Python reads lines from a file of that name.
        text = decode(source)
        tree = compile(text, "<unit>", "exec", PARSE_ONLY, dont_inherit=True)
        unit = "bytes"
        compile(tree, "<unit>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return {
            "type": type(error).__name__,
            "message": error.msg or "invalid syntax",
            "line": error.lineno,
            "column": error.offset,
            "end_line": getattr(error, "end_lineno", None),
            "end_column": getattr(error, "end_offset", None),
            "unit": unit,
        }
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        return {"type": type(error).__name__, "message": str(error) or "this cannot be compiled"}

    return None


def decode(source: bytes) -> str:
    """Return the text of a file: in UTF-8, or in what one of the first two lines names."""
    first_lines = b"".join(source.split(b"\n", 2)[:2])
    if b"coding" not in first_lines and not source.startswith(BYTE_ORDER_MARK):
        try:
            return source.decode("utf-8")
        except UnicodeDecodeError:
            # Below, the error says which line.
            pass

    import io  # noqa: PLC0415 - see above
    import tokenize  # noqa: PLC0415 - see above

    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return source.decode(encoding)


def print_line(fields: Fields) -> None:
    """Write one line."""
    import json  # noqa: PLC0415 - see above

    sys.stdout.write(json.dumps(fields) + "\n")


if __name__ == "__main__":
    main()

"""A program for a project's own Python, which may be old: compile stdin, print the errors as JSON.

It prints one object a line; the last is `{"done": true}`. The only argument is the file's name.
"""

import ast
import io
import json
import sys
import tokenize
import warnings
from typing import Dict, Optional, Union  # noqa: UP035 - it runs on Python 3.8, too

Fields = Dict[str, Union[str, int, bool, None]]  # noqa: UP006, UP007 - as above


def main() -> None:
    """Print the warnings, the error, and the end mark."""
    path, source = sys.argv[1], sys.stdin.buffer.read()
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
    print_line({"done": True})


def compile_source(source: bytes) -> Optional[Fields]:  # noqa: UP045 - as above
    """Return the error, or None."""
    # In two steps: the parser counts columns in characters, and the later passes in bytes.
    unit = "characters"
    try:
        # As text, and without a file name: else Python reads lines from a file of that name.
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        tree = ast.parse(source.decode(encoding), "<unit>")
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


def print_line(fields: Fields) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(fields) + "\n")


if __name__ == "__main__":
    main()

"""`python -m holdfast.server.openapi` prints the OpenAPI document."""

from __future__ import annotations

import json
import sys

from holdfast.server.app import make_app
from holdfast.server.document import describe


def main() -> None:
    """Print the document."""
    json.dump(describe(make_app()), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()

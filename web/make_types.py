"""Make `web/src/api/schema.ts` from the server's OpenAPI document.

`--check` writes nothing, and fails if the file is stale. `--document FILE` reads the document from
a file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, TypeAlias

SCHEMA = Path(__file__).resolve().parent / "src" / "api" / "schema.ts"
HEAD = (
    "// Made by web/make_types.py from the server's OpenAPI document. "
    "Do not edit: run `make page-types`.\n"
)
METHODS = ("get", "post", "put", "patch", "delete")
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
PLAIN["null"] = "null"

Json: TypeAlias = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Write the types, or compare them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the file is stale")
    parser.add_argument("--document", type=Path, help="an OpenAPI document; else the server's own")
    options = parser.parse_args(arguments)
    made = types_of(read_document(options.document))
    if not options.check:
        SCHEMA.parent.mkdir(exist_ok=True)
        SCHEMA.write_text(made, encoding="utf-8")
        return 0
    if not SCHEMA.exists() or SCHEMA.read_text(encoding="utf-8") != made:
        sys.stderr.write(f"{SCHEMA.name} is stale: run `make page-types` and commit it.\n")
        return 1
    return 0


def read_document(file: Path | None) -> Json:
    """Return the document of a file, or that of the server."""
    if file is not None:
        document: Json = json.loads(file.read_text(encoding="utf-8"))
        return document
    # Only here: a document from a file needs no server.
    from holdfast.server.app import make_app  # noqa: PLC0415 - see above
    from holdfast.server.document import describe  # noqa: PLC0415 - as above

    return describe(make_app())


def types_of(document: Json) -> str:
    """Return the TypeScript of a document: its schemas as types, its operations as a table."""
    schemas = document.get("components", {}).get("schemas", {})
    named = [(identifier(name), type_of(schemas[name])) for name in sorted(schemas)]
    parts = [HEAD, *(f"export type {name} = {made};\n" for name, made in named)]
    rows, signatures = [], []
    for path in sorted(document.get("paths", {})):
        for method in METHODS:
            operation = document["paths"][path].get(method)
            if operation is None:
                continue
            name = operation["operationId"]
            rows.append(f'  {name}: ["{method.upper()}", "{path}"],\n')
            signatures.append(f"  {name}: {signature_of(operation)};\n")
    parts.append("export interface Operations {\n" + "".join(signatures) + "}\n")
    parts.append(
        "export const operations: Record<keyof Operations, readonly [string, string]> = {\n"
        + "".join(rows)
        + "};\n"
    )
    return "\n".join(parts)


def signature_of(operation: Json) -> str:
    """Return the type of an operation: what it takes, and what it answers."""
    fields = []
    for place in ("path", "query"):
        of_place = [each for each in operation.get("parameters", ()) if each["in"] == place]
        if of_place:
            fields.append(f"{place}: {parameters_of(of_place)}")
    body = operation.get("requestBody")
    if body is not None:
        optional = "" if body.get("required") else "?"
        fields.append(f"body{optional}: {content_of(body)}")
    fields.append(f"answer: {answer_of(operation)}")
    return "{ " + "; ".join(fields) + " }"


def parameters_of(parameters: list[Json]) -> str:
    """Return the type of the parameters of one place."""
    fields = []
    for each in parameters:
        optional = "" if each.get("required") else "?"
        fields.append(f"{key(each['name'])}{optional}: {type_of(each['schema'])}")
    return "{ " + "; ".join(fields) + " }"


def answer_of(operation: Json) -> str:
    """Return the type of the answers of success."""
    found = []
    for status, response in sorted(operation["responses"].items()):
        if status.startswith("2"):
            found.append(content_of(response))
    return " | ".join(dict.fromkeys(found)) or "undefined"


def content_of(holder: Json) -> str:
    """Return the type of a JSON body; an answer without one is `undefined`."""
    content = holder.get("content", {}).get("application/json")
    if content is None:
        return "undefined"
    return type_of(content.get("schema", {}))


def type_of(schema: Any) -> str:  # noqa: PLR0911 - one line for each keyword of JSON Schema
    """Return a JSON Schema as a TypeScript type; `true` and `{}` allow anything."""
    if not isinstance(schema, dict) or not schema:
        return "unknown"
    if "$ref" in schema:
        return identifier(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    for word, joint in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")):
        if word in schema:
            return joint.join(dict.fromkeys(in_union(each) for each in schema[word]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": each}) for each in kind)
    if kind == "array":
        return f"{wrapped(type_of(schema.get('items', {})))}[]"
    if kind == "object" or "properties" in schema:
        return object_of(schema)
    return PLAIN.get(str(kind), "unknown")


def in_union(schema: Json) -> str:
    """Return a member of a union."""
    made = type_of(schema)
    return f"({made})" if " & " in made else made


def wrapped(made: str) -> str:
    """Return a type in parentheses, if an array of it needs them."""
    return f"({made})" if " | " in made or " & " in made else made


def object_of(schema: Json) -> str:
    """Return an object's type; one without named properties is a record."""
    properties = schema.get("properties", {})
    rest = schema.get("additionalProperties", {})
    if not properties:
        return f"Record<string, {type_of(rest)}>"
    required = set(schema.get("required", ()))
    fields = []
    for name, each in properties.items():
        optional = "" if name in required else "?"
        fields.append(f"{key(name)}{optional}: {type_of(each)}")
    return "{ " + "; ".join(fields) + " }"


def key(name: str) -> str:
    """Return the name of a property, quoted if it must be."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)


def identifier(name: str) -> str:
    """Return the name of a schema as one of TypeScript."""
    return re.sub(r"\W", "_", name)


if __name__ == "__main__":
    sys.exit(main())

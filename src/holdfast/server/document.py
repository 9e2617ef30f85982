"""The OpenAPI document of the application."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from holdfast.server.models.event_models import EventBody, SentinelBody
from holdfast.server.models.problem import Problem

if TYPE_CHECKING:
    from fastapi import FastAPI

_LONG = "Json"
_REF = "#/components/schemas/{model}"
_SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "holdfast"},
}


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the document: every route, and the unions `Event` and `Sentinel`."""
    document = get_openapi(
        title=app.title, version=app.version, openapi_version="3.1.0", routes=app.routes
    )
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)

    for methods in document["paths"].values():
        for operation in methods.values():
            # The problem for what is not valid is among 4XX.
            operation["responses"].pop("422", None)

    unions: dict[str, Any] = {"Event": EventBody, "Sentinel": SentinelBody, "Problem": Problem}
    for name, union in unions.items():
        schema = TypeAdapter(union).json_schema(mode="serialization", ref_template=_REF)
        schemas.update(schema.pop("$defs", {}))
        schemas[name] = schema

    # Once as a name, not each time in full.
    schemas["MessageJson"]["properties"]["events"]["items"] = {"$ref": _REF.format(model="Event")}
    sentinel = {"$ref": _REF.format(model="Sentinel")}
    schemas["SentinelRaised"]["properties"]["sentinel"] = sentinel
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    document = _with_short_names(document)
    document["components"]["securitySchemes"] = _SECURITY
    document["security"] = [{"bearer": []}, {"cookie": []}]
    stream = document["paths"]["/api/projects/{id}/events"]["get"]["responses"]["200"]["content"]
    stream.pop("application/json", None)
    stream["text/event-stream"] = {"schema": {"type": "string"}}
    return document


def _with_short_names(document: dict[str, Any]) -> dict[str, Any]:
    """Call `ChangeJson` and its like by what they are: in the source those names are taken."""
    text = json.dumps(document)
    for name in document["components"]["schemas"]:
        if name.endswith(_LONG):
            text = text.replace(f'"{name}"', f'"{name.removesuffix(_LONG)}"')
            reference = _REF.format(model=name)
            text = text.replace(f'"{reference}"', f'"{reference.removesuffix(_LONG)}"')

    renamed: dict[str, Any] = json.loads(text)
    return renamed

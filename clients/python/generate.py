"""Makes the methods of the client from the server's own description.

    python generate.py http://127.0.0.1:4747/openapi.json     (with IDETIC_KEY, where the server wants one)
    python generate.py openapi.json

writes src/idetic/answers.py, with the types of answers, src/idetic/routes.py, with a typed function for each route, and
src/idetic/operations.py, with the methods of both clients. They are checked in; a test compares them with what the
server says.
"""

from __future__ import annotations

import json
import keyword
import os
import sys
import textwrap
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "src" / "idetic"
WIDTH = 120
HEADER = "Written by generate.py from the server's OpenAPI document; do not edit."
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Mapping[str, Any]"}

# One word for one thing: what an argument is called here, where the document has an older word for it, which stays.
WORDS = {"k": "limit", "top_k": "limit"}

Schema = dict[str, Any]


def render(document: Schema) -> dict[str, str]:
    """The generated files by their names."""
    routes = routes_of(document)
    schemas = document["components"]["schemas"]
    return {
        "answers.py": render_answers(routes, schemas),
        "routes.py": render_routes(routes, schemas),
        "operations.py": render_operations(routes),
    }


def routes_of(document: Schema) -> list[Route]:
    """The routes in the order of the document, without those that answer with a file: `curl` downloads it better."""
    paths = document["paths"].items()
    routes = [Route(path, method, entry) for path, methods in paths for method, entry in methods.items()]
    return [route for route in routes if "application/gzip" not in route.success]


@dataclass(frozen=True)
class Parameter:
    """One argument of a function."""

    name: str
    wire: str
    type: str
    required: bool
    about: str

    @property
    def older(self) -> str | None:
        """Its older name, where it has one."""
        return self.wire if self.wire in WORDS else None

    @property
    def value(self) -> str:
        """What is sent of it."""
        return f"{self.older} if {self.name} is None else {self.name}" if self.older else self.name


class Route:
    """One route of the document, and which of the ways to call it fits."""

    def __init__(self, path: str, method: str, entry: Schema) -> None:
        self.path, self.method, self.entry = path, method, entry
        self.name = identifier(entry["operationId"])
        self.headers = {p["name"] for p in entry.get("parameters", []) if p["in"] == "header"}
        self.queries = {p["name"] for p in entry.get("parameters", []) if p["in"] == "query"}
        self.in_path = [p["name"] for p in entry.get("parameters", []) if p["in"] == "path"]
        self.is_write = "Idempotency-Key" in self.headers
        self.is_paged = "cursor" in self.queries
        self.success: Schema = entry["responses"]["200"]["content"]
        self.is_text = "application/json" not in self.success
        self.is_many = not self.is_text and "items" in self.success["application/json"]["schema"].get("properties", {})

    @property
    def body(self) -> Schema | None:
        content = self.entry.get("requestBody", {}).get("content", {})
        schema: Schema | None = content.get("application/json", {}).get("schema")
        return schema

    @property
    def takes(self) -> str:
        """Which arguments there are: `named` ones, `more` than those that are named, or `anything`."""
        if self.body is None or self.body.get("additionalProperties") is False:
            return "named"
        return "more" if self.body.get("properties") else "anything"

    @property
    def way(self) -> str:
        """Which function of calls.py makes the call."""
        if self.is_paged:
            return "paged"
        if self.is_write:
            return "write_many" if self.is_many else "write"
        # Without a name, only what asks may be sent again.
        asks = self.path.startswith("/v1/") and "needs the right to read" in self.entry.get("description", "").lower()
        return "one" if asks else "once_many" if self.is_many else "once"

    @property
    def answer(self) -> Schema:
        """The schema of one answer."""
        whole: Schema = self.success["application/json"]["schema"]
        one: Schema = whole["properties"]["items"]["items"] if self.is_many else whole
        return one

    @property
    def returns(self) -> str:
        if self.is_text:
            return "Call[str]"
        one = answer_type(self.answer, "answers.")
        if self.is_paged:
            return f"Paged[{one}]"
        return f"Call[list[{one}]]" if self.is_many else f"Call[{one}]"


def identifier(name: str) -> str:
    name = name.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def type_of(schema: Schema | bool, schemas: Schema) -> str:
    """The Python type of a schema. None is never said: what is left out is not sent."""
    if isinstance(schema, bool):
        return "Any"
    if "$ref" in schema:
        return type_of(schemas[schema["$ref"].rsplit("/", 1)[1]], schemas)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return union(type_of(part, schemas) for part in schema[word] if part != {"type": "null"})
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        values = ", ".join(repr(value) for value in schema["enum"] if value is not None)
        return f"Literal[{values}]"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return union(of_kind(kind, schema, schemas) for kind in kinds if kind != "null")


def of_kind(kind: str, schema: Schema, schemas: Schema) -> str:
    if kind == "array":
        return f"Sequence[{type_of(schema.get('items', True), schemas)}]"
    return SCALARS[kind]


def union(types: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(types)) or "Any"


def answer_type(schema: Schema | bool, prefix: str = "") -> str:
    """The Python type of what a server answers; `prefix` stands before the names of definitions."""
    if isinstance(schema, bool):
        return "Any"
    if "$ref" in schema:
        return prefix + definition(schema["$ref"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return union(answer_type(part, prefix) for part in schema[word])
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
    kinds = schema.get("type", [])
    return union(answer_of_kind(kind, schema, prefix) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def answer_of_kind(kind: str, schema: Schema, prefix: str) -> str:
    if kind == "null":
        return "None"
    if kind == "array":
        items = schema.get("prefixItems", [schema.get("items", True)])
        return f"list[{union(answer_type(item, prefix) for item in items)}]"
    if kind == "object":
        return f"dict[str, {answer_type(schema.get('additionalProperties', True), prefix)}]"
    return SCALARS[kind]


def definition(reference: str) -> str:
    return reference.rsplit("/", 1)[1]


def parameters(route: Route, schemas: Schema) -> list[Parameter]:
    """The arguments, those that must be given first."""
    in_path = [Parameter(identifier(name), name, "str", True, "") for name in route.in_path]
    body = route.body or {}
    required = body.get("required", [])
    named = [
        Parameter(identifier(WORDS.get(name, name)), name, type_of(schema, schemas), name in required, about(schema))
        for name, schema in body.get("properties", {}).items()
    ]
    return in_path + sorted(named, key=lambda parameter: not parameter.required)


def about(schema: Schema | bool) -> str:
    said = schema.get("description", "") if isinstance(schema, dict) else ""
    return " ".join(said.split())


def render_answers(routes: list[Route], schemas: Schema) -> str:
    names: set[str] = set()

    def need(part: Any) -> None:
        if isinstance(part, dict) and "$ref" in part and definition(part["$ref"]) not in names:
            names.add(definition(part["$ref"]))
            need(schemas[definition(part["$ref"])])
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else []:
            need(inner)

    for route in routes:
        need(route.success)
    definitions = "\n\n".join(render_answer(name, schemas[name]) for name in sorted(names))
    return (
        f'"""What the server answers.\n\n{HEADER}\n"""\n\n'
        "from __future__ import annotations\n\n"
        "import sys\n"
        "from typing import Any, Literal, TypedDict, final\n\n"
        "if sys.version_info >= (3, 11):\n    from typing import NotRequired\n"
        "else:\n    from typing_extensions import NotRequired\n\n\n"
        f"{definitions}"
    )


def render_answer(name: str, schema: Schema) -> str:
    said = f'"""{escaped(about(schema))}"""'
    if "properties" not in schema:
        return f"{name} = {answer_type(schema)}\n{said}\n"
    fields = {key: field_type(key, schema) for key in schema["properties"]}
    if any(keyword.iskeyword(key) for key in fields):
        lines = [
            f"{name} = TypedDict(",
            f'    "{name}",',
            "    {",
            *(f'        "{key}": "{type}",' for key, type in fields.items()),
        ]
        return "\n".join([*lines, "    },", ")", said]) + "\n"
    lines = ["@final", f"class {name}(TypedDict):", f"    {said}", ""]
    for key, type in fields.items():
        lines.append(f"    {key}: {type}")
        if told := about(schema["properties"][key]):
            lines.append(f'    """{escaped(told)}"""')
    return "\n".join(lines) + "\n"


def field_type(key: str, schema: Schema) -> str:
    type = answer_type(schema["properties"][key])
    return type if key in schema.get("required", []) else f"NotRequired[{type}]"


def render_routes(routes: list[Route], schemas: Schema) -> str:
    functions = "\n\n".join(render_route(route, schemas) for route in routes)
    names = [name for name in ("Any", "Literal") if name in functions]
    return (
        f'"""Every route of the server as a function that makes the call.\n\n{HEADER}\n"""\n\n'
        "from __future__ import annotations\n\n"
        "from collections.abc import Mapping, Sequence\n"
        f"from typing import {', '.join(names)}\n"
        "from urllib.parse import quote\n\n"
        "from . import answers\n"
        "from .calls import Call, Paged, once, once_many, one, paged, text, write, write_many\n\n\n"
        f"{functions}"
    )


def render_route(route: Route, schemas: Schema) -> str:
    named = parameters(route, schemas)
    signature = [f"{p.name}: {p.type}" for p in named if p.required]
    optional = [f"{p.name}: {p.type} | None = None" for p in named if not p.required]
    optional += [f"{p.older}: {p.type} | None = None" for p in named if p.older]
    if route.takes == "anything":
        signature.append("body: Mapping[str, Any]")
    if route.is_paged:
        optional.append("page_size: int | None = None")
    if route.is_write:
        optional.append("idempotency_key: str | None = None")
    if optional:
        signature += ["*", *optional]
    if route.takes == "more":
        signature.append("**more: Any")
    lines = [f"def {route.name}({', '.join(signature)}) -> {route.returns}:"]
    if len(lines[0]) > WIDTH:
        lines = [f"def {route.name}(", *(f"    {part}," for part in signature), f") -> {route.returns}:"]
    return "\n".join([*lines, *documentation(route, named), *body_of(route, named)]) + "\n"


def documentation(route: Route, named: list[Parameter]) -> list[str]:
    said = [f'    """{escaped(route.entry["summary"])}.']
    if described := [p for p in named if p.about]:
        said.append("")
        for p in described:
            said += textwrap.wrap(
                f"{p.name}: {escaped(p.about)}{f'; also `{p.older}`' if p.older else ''}",
                WIDTH - 8,
                initial_indent=" " * 4,
                subsequent_indent=" " * 8,
            )
        return [*said, '    """']
    return [said[0] + '"""']


def escaped(said: str) -> str:
    return said.replace("\\", "\\\\").replace('"""', "'''")


def body_of(route: Route, named: list[Parameter]) -> list[str]:
    """The call itself."""
    path = f'"{route.path}"'
    for name in route.in_path:
        path = path.replace(f"{{{name}}}", f"{{quote({identifier(name)}, safe='')}}")
    path = f"f{path}" if route.in_path else path
    if route.is_text:
        return [f"    return text({path})"]
    end = {"paged": ", page_size", "write": ", idempotency_key", "write_many": ", idempotency_key"}.get(route.way, "")
    if route.takes == "anything":
        return [f"    return {route.way}({path}, body{end})"]
    sent = [f'        "{p.wire}": {p.value},' for p in named if p.wire not in route.in_path]
    if not sent:
        return [f"    return {route.way}({path}, {{}}{end})"]
    if route.takes == "more":
        sent.append("        **more,")
    return ["    arguments = {", *sent, "    }", f"    return {route.way}({path}, arguments{end})"]


def render_operations(routes: list[Route]) -> str:
    def methods(prefix: str) -> str:
        return "\n".join(
            f"    {route.name} = {prefix}{'Listing' if route.is_paged else 'Method'}(routes.{route.name})"
            for route in routes
        )

    return (
        f'"""The methods of both clients.\n\n{HEADER}\n"""\n\n'
        "from __future__ import annotations\n\n"
        "from . import routes\n"
        "from .methods import AsyncListing, AsyncMethod, Listing, Method\n\n\n"
        f'class Operations:\n    """Every route, waited for."""\n\n{methods("")}\n\n\n'
        f'class AsyncOperations:\n    """Every route, awaited."""\n\n{methods("Async")}\n'
    )


def read(place: str) -> Schema:
    """The document at an address or in a file."""
    if not place.startswith(("http://", "https://")):
        document: Schema = json.loads(Path(place).read_text())
        return document
    key = os.environ.get("IDETIC_KEY")
    request = urllib.request.Request(place, headers={"Authorization": f"Bearer {key}"} if key else {})
    with urllib.request.urlopen(request) as answer:
        document = json.load(answer)
    return document


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, said in render(read(sys.argv[1])).items():
        (PACKAGE / name).write_text(said)

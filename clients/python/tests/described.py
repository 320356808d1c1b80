"""A server's description, and real answers held against it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx
from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]

STREAM = "text/event-stream"
FORMATS = FormatChecker(formats=())

Schema = dict[str, Any]


@FORMATS.checks("date-time", raises=ValueError)  # type: ignore[untyped-decorator]
def is_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value.replace("Z", "+00:00")).tzinfo is not None


class Described:
    """What a server says of its answers; which routes it was shown answers of, and which fields those had."""

    def __init__(self, document: Schema) -> None:
        self.components = document["components"]
        self.schemas: dict[str, Schema] = self.components["schemas"]
        for schema in self.schemas.values():
            Draft202012Validator.check_schema(schema)
        self.routes = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), method, entry)
            for path, methods in document["paths"].items()
            for method, entry in methods.items()
        ]
        self.answered: set[tuple[str, str]] = set()
        """The routes, each with the form of the answer."""
        self.wrong: list[str] = []
        """What is not as it is described."""
        self.met: set[tuple[str, str]] = set()
        """The schemas, each with a field that had a value."""

    def take(self, response: httpx.Response) -> None:
        """Holds an answer or a refusal against its schema. The events of a stream are shown with `take_event`."""
        form = response.headers.get("Content-Type", "").partition(";")[0]
        if form == STREAM:
            return
        response.read()
        answer = response.json() if form == "application/json" else response.text
        self._check(response.request, str(response.status_code), form, answer)

    async def take_awaited(self, response: httpx.Response) -> None:
        await response.aread()
        self.take(response)

    def take_event(self, path: str, answer: Any) -> None:
        """Holds one event of a stream against its schema."""
        self._check(httpx.Request("POST", f"http://server{path}"), "200", STREAM, answer)

    def _check(self, request: httpx.Request, status: str, form: str, answer: Any) -> None:
        path = request.url.raw_path.decode().partition("?")[0]
        entry = next(
            e for route, method, e in self.routes if route.fullmatch(path) and method == request.method.lower()
        )
        schema = entry["responses"].get(status, {}).get("content", {}).get(form, {}).get("schema", False)
        if found := [f"{error.json_path}: {error.message}" for error in self._errors(schema, answer)]:
            self.wrong.append(f"{path} with status {status} as {form}: {found}")
        if status == "200":
            self.answered.add((entry["operationId"], form))
        self._meet("", schema, answer)

    def _errors(self, schema: Schema | bool, value: Any) -> Iterator[Any]:
        # Everything that is referred to is below `components`.
        whole = {"allOf": [schema], "components": self.components}
        errors: Iterator[Any] = Draft202012Validator(whole, format_checker=FORMATS).iter_errors(value)
        return errors

    def _meet(self, name: str, schema: Any, value: Any) -> None:
        if not isinstance(schema, dict):
            return
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return self._meet(name, self.schemas[name], value)
        for part in [*schema.get("oneOf", []), *schema.get("anyOf", [])]:
            if next(self._errors(part, value), None) is None:
                self._meet(name, part, value)
        if isinstance(value, list):
            for item in value:
                self._meet(name, schema.get("items"), item)
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            for key, item in value.items():
                if key in properties and (item is not None or properties[key].get("type") == "null"):
                    self.met.add((name, key))
                self._meet(name, properties.get(key, schema.get("additionalProperties")), item)
        return None

    def fields(self) -> set[tuple[str, str]]:
        """Every field of every schema that an answer may have."""
        found: set[str] = set()

        def follow(schema: Any) -> None:
            if isinstance(schema, dict):
                name = schema.get("$ref", "").rsplit("/", 1)[-1]
                if name and name not in found:
                    found.add(name)
                    follow(self.schemas[name])
                for part in schema.values():
                    follow(part)
            elif isinstance(schema, list):
                for part in schema:
                    follow(part)

        for _, _, entry in self.routes:
            follow(entry["responses"])
        return {(name, key) for name in found for key in self.schemas[name].get("properties", {})}

"""The schemas of what `--format json` prints (harness/report/schema), for tests of what is printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

FOLDER = Path(__file__).parents[2] / "harness/report/schema"


def closed(schema: Any) -> Any:
    """Returns the schema without leave for keys that it does not name: what is printed is described as a whole."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and "additionalProperties" not in schema and "properties" not in schema["properties"]:
        made["additionalProperties"] = False
    return made


def schema_of(document: str) -> Any:
    """Returns the schema of "check", "explain" or "aa"."""
    return json.loads((FOLDER / f"{document}.schema.json").read_text())


VALIDATORS = {name: jsonschema.Draft202012Validator(closed(schema_of(name))) for name in ("check", "explain", "aa")}


def documents(text: str) -> Iterator[Any]:
    """Yields each JSON text of several, one after the other."""
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        root, end = decoder.raw_decode(text)
        yield root
        text = text[end:]


def complaints(document: str, root: object) -> list[str]:
    """Returns what is wrong with a document by its schema, each with its place."""
    errors = sorted(VALIDATORS[document].iter_errors(root), key=lambda error: error.json_path)
    return [f"{error.json_path}: {error.message}"[:300] for error in errors]

"""Builders of scripts and objects."""

from typing import Any

from syncline.model.script import Script, ScriptKind

OBJ: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "annotations": {"token": "canary"}},
    "spec": {"replicas": 3, "ports": [], "labels": {}},
}


def health(text: str, obj: dict[str, Any] | None = None, *, open_libraries: bool = False) -> Script:
    return Script(kind=ScriptKind.HEALTH, text=text, obj=OBJ if obj is None else obj, open_libraries=open_libraries)


def action(text: str, obj: dict[str, Any] | None = None, **parameters: str) -> Script:
    return Script(kind=ScriptKind.ACTION, text=text, obj=OBJ if obj is None else obj, parameters=parameters)


def discovery(text: str) -> Script:
    return Script(kind=ScriptKind.DISCOVERY, text=text, obj=OBJ)


def delete(expression: str, obj: dict[str, Any] | None = None) -> Script:
    return Script(kind=ScriptKind.DELETE, text=expression, obj=OBJ if obj is None else obj)

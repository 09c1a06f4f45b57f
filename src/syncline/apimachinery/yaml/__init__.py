"""YAML as Kubernetes reads it, with the place of every field, and written so that Go reads back the same.

Belongs here: reading, writing and editing YAML text. Does not belong here: what the fields mean.
Everybody who reads a manifest goes through `load_documents`; nobody else imports a YAML library.
"""

from syncline.apimachinery.yaml import edit
from syncline.apimachinery.yaml.document import Document
from syncline.apimachinery.yaml.errors import YamlError
from syncline.apimachinery.yaml.limits import DEFAULT, YamlLimits
from syncline.apimachinery.yaml.positions import Path, Position
from syncline.apimachinery.yaml.reader import load, load_documents
from syncline.apimachinery.yaml.scalars import resolve_plain
from syncline.apimachinery.yaml.writer import dump, dump_all

__all__ = [
    "DEFAULT",
    "Document",
    "Path",
    "Position",
    "YamlError",
    "YamlLimits",
    "dump",
    "dump_all",
    "edit",
    "load",
    "load_documents",
    "resolve_plain",
]

"""Writes the plain manifests, and the parts of the chart that come from the same source: rules of roles, and CRDs.

Run as `python -m tools.build_manifests` after changing `syncline.core.install`, `syncline.core.rights` or a CRD;
`tests/component/install/test_generated.py` fails while a file is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.core.install.objects import installation
from syncline.core.install.options import InstallOptions, Mode
from syncline.core.rights import delivery, diagnose
from syncline.core.rights.roles import own_rules
from syncline.core.rights.table import Component, Where
from syncline.model.crds import all_crds
from syncline.model.published_crd import diagnosis_crd

ROOT = Path(__file__).parent.parent
CHART = ROOT / "charts/syncline"
MANIFESTS = ROOT / "packaging/manifests"
_WRITTEN = "Written by `python -m tools.build_manifests`; do not edit."
_CRDS_HEAD = f"""\
# {_WRITTEN}
# Custom resource definitions: kubectl apply --server-side -f crds.yaml
# Never run kubectl delete -f on this file: with a definition the cluster deletes every Application of this kind.
"""
_INSTALL_HEAD = f"""\
# {_WRITTEN}
# Syncline in the namespace argocd, which has to be there: kubectl create namespace argocd
# First crds.yaml, then: kubectl apply -f install.yaml; replace the image by the one that you pushed.
# kubectl delete -f install.yaml removes Syncline; Applications and what they delivered stay.
"""
_DIAGNOSE_HEAD = f"""\
# {_WRITTEN}
# Diagnose-only mode in the namespace argocd: kubectl apply -f diagnose.yaml; replace the image by the one that you
# pushed. It reads, and has no right to write or to read Secrets.
"""


def app_version() -> str:
    """Return the version of the program that the chart installs."""
    return str(yaml.load((CHART / "Chart.yaml").read_text(encoding="utf-8"))["appVersion"])


def default_image() -> str:
    """Return the image of the plain manifests: a name to be replaced, since where it was pushed is not known here."""
    return f"syncline:{app_version()}"


def files() -> dict[Path, str]:
    """Return every generated file with its text."""
    definitions = [*all_crds(), diagnosis_crd()]
    full = installation(InstallOptions(image=default_image()))
    reading = installation(InstallOptions(image=default_image(), mode=Mode.DIAGNOSE))
    return {
        MANIFESTS / "crds.yaml": _CRDS_HEAD + yaml.dump_all(definitions),
        MANIFESTS / "install.yaml": _INSTALL_HEAD + yaml.dump_all(full),
        MANIFESTS / "diagnose.yaml": _DIAGNOSE_HEAD + yaml.dump_all(reading),
        CHART / "templates/_rules.tpl": _rules_template(),
        **{CHART / "crds" / f"{obj['metadata']['name']}.yaml": yaml.dump(obj) for obj in definitions},
    }


def _rules_template() -> str:
    parts = [f"{{{{- /* {_WRITTEN} */ -}}}}"]
    for component in Component:
        everything = own_rules(component, Where.CONTROL_PLANE, Where.APPLICATIONS)
        parts.append(_defined(f"rules.{component}", everything))
        parts.append(_defined(f"rules.{component}.controlPlane", own_rules(component, Where.CONTROL_PLANE)))
        parts.append(_defined(f"rules.{component}.applications", own_rules(component, Where.APPLICATIONS)))
        parts += [
            _defined(f"rules.{component}.delivery.{profile}", delivery.RULES[profile][component])
            for profile in delivery.Profile
        ]
    parts.append(_defined("rules.diagnose", diagnose.RULES))
    return "\n".join(parts) + "\n"


def _defined(name: str, rules: Iterable[Object]) -> str:
    return f'{{{{- define "syncline.{name}" -}}}}\n{yaml.dump(list(rules)).rstrip()}\n{{{{- end -}}}}'


def main(arguments: Sequence[str]) -> int:
    """Write the files; with --check only name those that are stale."""
    stale = [path for path, text in files().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'stale' if '--check' in arguments else 'written'}: {path.relative_to(ROOT)}")
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files()[path], encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""D1 and D2: words that a shell or a program would take for a command or an option, and plugins nobody installed."""

from __future__ import annotations

from tests.hostile.attack import Attack
from tests.hostile.attacks.helm import PLAIN
from tests.hostile.installation import config

GOOD = {"good.yaml": config("good")}
TOUCH = "touch @FILE@.made"


def _address(name: str, url: str) -> Attack:
    return Attack(f"d1-url-{name}", "invalid repoURL", GOOD, {"repoURL": url}, project="open-a")


ATTACKS = (
    _address("substitution", f"ssh://host$({TOUCH})/x"),
    _address("backticks", f"ssh://host`{TOUCH}`/x"),
    _address("semicolon", f"http://host;{TOUCH}/x"),
    _address("option-host", "ssh://-oProxyCommand=touch/x"),
    _address("option-user", "ssh://-u@host/x"),
    _address("scp", f"git@-oProxyCommand={TOUCH}:x"),
    _address("nul", "https://host/x\0y"),
    _address("credentials-newline", "https://host/x\nprotocol=https"),
    Attack("d1-branch", "invalid revision", GOOD, {"targetRevision": f"$({TOUCH})"}),
    Attack("d1-branch-dash", "invalid revision", GOOD, {"targetRevision": "-h"}),
    Attack("d1-release", "release name", PLAIN, {"helm": {"releaseName": f"x; {TOUCH}"}}),
    Attack(
        "d1-chart",
        "invalid chart name",
        {},
        {"repoURL": "@CHARTS@", "path": None, "chart": "--debug", "targetRevision": "1.0.0"},
        project="open-a",
    ),
    Attack(
        "d1-chart-path",
        "invalid chart name",
        {},
        {"repoURL": "@CHARTS@", "path": None, "chart": "../../x", "targetRevision": "1.0.0"},
        project="open-a",
    ),
    Attack(
        "d1-parameter",
        "",
        PLAIN,
        {"helm": {"parameters": [{"name": f"a=$({TOUCH})", "value": f"`{TOUCH}`; {TOUCH}", "forceString": True}]}},
        written=True,
    ),
    Attack(
        "d1-api-version",
        "invalid apiVersions",
        PLAIN,
        {"helm": {"apiVersions": ["--post-renderer=/bin/sh", "v1\n--debug"]}},
    ),
    Attack(
        "d2-plugin",
        "plugin with name .* not found|no plugin matches",
        GOOD,
        {"plugin": {"name": "sh", "env": [{"name": "LD_PRELOAD", "value": "/x"}]}},
    ),
    Attack(
        "d2-plugin-path", "plugin with name .* not found|no plugin matches", GOOD, {"plugin": {"name": "../../bin/sh"}}
    ),
    Attack(
        "d2-plugin-unnamed",
        "plugin with name .* not found|no plugin matches",
        GOOD,
        {"plugin": {"parameters": [{"name": "x", "string": f"$({TOUCH})"}]}},
    ),
)

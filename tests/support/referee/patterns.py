"""Which fields and which cases rules about differences are made of; read by the tables `shown.py` and `done.py`."""

from tests.support.referee.known import Mode

APP = r"\d+\.(app \S+?\.)?"
ROWS_OF = rf"{APP}state\.rows\..*"
RESOURCES = rf"{APP}resources\..*"
MESSAGES_OF = rf"{APP}(state|state\.rows\..*|resources\..*)\.message"
CONDITIONS = rf"{APP}conditions\.\w+"
EVERY = ".*"
HOOKS = "hook-.*|helm-hooks|living-.*hook.*"
OWN: tuple[Mode, ...] = ("own",)

# Objects of which the API server, the project or Argo CD's own checks want nothing to do.
REFUSED = (
    "wrong-(name|kind|version|field|required-field|denied|no-name|namespace-of-object)|auto-one-of-two-refused"
    "|project-(no-config-maps|nothing-cluster-wide|object-in-another-namespace|only-secrets)|folder-generated-name"
    "|compared-numbers-in-data|object-option-skip-dry-run"
)
STOPPED_BY_ONE = (
    "wrong-(kind|version|no-name)|project-(nothing-cluster-wide|object-in-another-namespace)|object-option-skip-dry-run"
)

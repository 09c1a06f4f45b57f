"""Where our answers differ from Argo CD's, and why: `docs/reference/differences.md` has the same table.

Whatever no rule covers is a bug. A rule that covers nothing any more is taken out (`test_answers.py` says so).
"""

import dataclasses
import json
import re
from typing import Any

from tests.argocd.answers.compared import MISSING


@dataclasses.dataclass(frozen=True)
class Known:
    """One difference. `row` is a pattern of the path that is asked, `field` one of the field, both found anywhere.

    The values are patterns of the JSON of both sides, matched as a whole; that of a member that is not there is `-`.
    """

    where: str
    because: str
    row: str = ""
    field: str = ""
    theirs: str = ".*"
    ours: str = ".*"
    always: bool = True
    """Whether it shows in every run; times and versions may be equal by chance."""

    def covers(self, row: str, field: str, theirs: Any, ours: Any) -> bool:
        sides = ((self.theirs, theirs), (self.ours, ours))
        return (
            re.search(self.row, row) is not None
            and re.search(self.field, field) is not None
            and all(re.fullmatch(pattern, _text(value), re.DOTALL) for pattern, value in sides)
        )


def _text(value: Any) -> str:
    return "-" if value == MISSING else json.dumps(value, sort_keys=True)


TIME = r'"\d{4}-\d\d-\d\dT[\d:.]+Z"'
VERSION = r'"\d+"'
WORDS = r"^\.(error|message)$"
ERROR = r"^(status|\.code|\.error|\.message)$"

KNOWN: tuple[Known, ...] = (
    Known(
        "everywhere",
        'Members without a value are written out (`[]`, `""`, `false`), where Argo CD leaves them out or says null.',
        theirs="-|null",
        ours=r'""|\[\]|\{\}|0|false|null',
    ),
    Known(
        "Applications, sets and projects",
        "They name their `apiVersion` and `kind`, so that they can be handed to kubectl.",
        row=r"^/api/v1/(stream/)?(applications|applicationsets|projects)",
        field=r"\.(apiVersion|kind)$",
        theirs="-",
    ),
    Known(
        "lists",
        "`metadata.resourceVersion` is that of the newest object in the list, not that of the cluster.",
        row="applicationsets|events|projects",
        field=r"^\.metadata\.resourceVersion$",
        theirs=VERSION,
        ours=VERSION,
        always=False,
    ),
    Known(
        "Applications with `refresh`",
        "Each server asks for a look of its own, so the answers are a version apart.",
        row="refresh=normal",
        field=r"^\.metadata\.(resourceVersion|generation|managedFields.*)$|^\.status\.reconciledAt$",
        always=False,
    ),
    Known(
        "Applications with `fields=-…`",
        "All but the named fields are shown; Argo CD shows those of a fixed list, and says null for some.",
        row=r"\?fields=-",
        field=r"^\.items\[",
    ),
    Known(
        "`resource-tree`",
        "Endpoints are not nodes; the settings that Argo CD is installed with exclude them.",
        row="/resource-tree",
        field=r"^\.nodes\[Endpoints/",
        ours="-",
    ),
    Known(
        "`managed-resources`",
        "Hooks have a row too, with `hook` true.",
        row="/managed-resources",
        field=r"^\.items\[batch/Job/web/before\]$",
        theirs="-",
    ),
    Known(
        "Secrets",
        "The annotation in which kubectl keeps what it applied is masked as a whole.",
        row=r"/managed-resources|/resource\?",
        field="kubectl.kubernetes.io/last-applied-configuration$",
        ours=r'"\++"',
    ),
    Known(
        "`manifests`",
        "The answer also says the namespace, server, revision and kind of source.",
        row="/manifests",
        field=r"^\.(namespace|server|revision|sourceType)$",
        theirs="-",
    ),
    Known(
        "`syncwindows`",
        "`standing` says which windows hold it, until when and why, as `syncline` shows it.",
        row="/syncwindows$",
        field=r"^\.standing$",
        theirs="-",
    ),
    Known(
        "`links`",
        "Links that annotations of the Application name are among them.",
        row="/links$",
        field=r"^\.items$",
        theirs="-",
        ours=r'\[.*"https://wiki.example/web".*\]',
    ),
    Known(
        "actions",
        "A Deployment that was never paused offers `pause`, as with later versions of Argo CD.",
        row="/resource/actions",
        field=r"\[pause\]$",
        theirs="-",
    ),
    Known(
        "logs",
        "The time of the closing line is in whole seconds.",
        row="/logs",
        field=r"^\.result\.(timeStampStr|timeStamp)$",
        theirs=TIME,
        ours=TIME,
        always=False,
    ),
    Known(
        "streams",
        "An error before the first line has `code` and `message` beside `error`, as every other error has.",
        row="/logs",
        field=r"^\.(code|message)$",
        theirs="-",
    ),
    Known(
        "ApplicationSets",
        "They are as they are stored; Argo CD adds empty templates to generators.",
        row="/applicationsets",
        field=r"\.template$",
        ours="-",
    ),
    Known(
        "ApplicationSets",
        "The tree has the Applications of the set also before its status lists them.",
        row="/applicationsets/charts/resource-tree",
        field=r"^\.nodes",
        always=False,
    ),
    Known(
        "projects",
        "The list has the tokens of roles in `status`, as a single project has.",
        row=r"/projects(\?|$| as)",
        field=r"\.jwtTokensByRole$",
        theirs="-",
    ),
    Known(
        "repositories",
        "Whether one can be read is known from the Applications that come from it: a list asks no server.",
        row="/repositories|/projects/team/detailed",
        field=r"\.connectionState\.(status|message|attemptedAt)$",
    ),
    Known(
        "repositories",
        "The user name is shown, the password never.",
        row="/repositories|/projects/team/detailed",
        field=r"\.username$",
        theirs="-",
    ),
    Known(
        "`repocreds`",
        "The type is named also where it is git.",
        row="/repocreds",
        field=r"\.type$",
        theirs="-",
        ours='"git"',
    ),
    Known(
        "clusters",
        "The time of the last look is that of the answer, and there is none at which a cache was filled.",
        row="/clusters",
        field=r"\.(attemptedAt|lastCacheSyncTime)$",
        always=False,
    ),
    Known(
        "clusters",
        "`cacheInfo` counts what Syncline keeps: objects of all kinds, and the kinds that can be followed.",
        row="/clusters",
        field=r"\.cacheInfo\.(apisCount|resourcesCount)$",
        ours=r"\d+",
        always=False,
    ),
    Known(
        "settings",
        "Rules in `resourceOverrides` have members, where Argo CD writes YAML; those on updates are left out.",
        row="/settings",
        field=r"\.resourceOverrides\..*\.(ignoreDifferences|ignoreResourceUpdates)$",
        theirs=r'"jqPathExpressions: .*"',
    ),
    Known(
        "settings",
        "How objects are tracked and compared, and the options of kustomize, are shown to those who are signed in.",
        row="/settings as (nobody|with a bad token)",
        field=r"\.(resourceOverrides|appLabelKey|trackingMethod|kustomizeOptions)$",
        ours="-",
    ),
    Known(
        "version",
        "It is Syncline's own, with the version of Argo CD whose API it is; the versions of tools are left out.",
        row="^/api/version",
    ),
    Known(
        "errors: not found",
        "Who may read every Application, repository or cluster is told 404; Argo CD tells even them 403.",
        row="nothing|elsewhere",
        field=ERROR,
        theirs='403|7|"permission denied"',
        ours='404|5|".* not found.*"',
    ),
    Known(
        "errors: not found",
        "An object or revision that is not there is 404; Argo CD says 400 or 500.",
        row=r"/resource\?|/revisions/",
        field=ERROR,
        theirs='400|500|2|3|".* not found as part of application web"|"revision .* must be resolved"',
        ours='404|5|"web has no .*"|"nothing is known of that revision"',
    ),
    Known(
        "errors: not found",
        "The sentence also names the namespace, and is the same for all questions about an object.",
        row="nothing|project=default",
        field=WORDS,
        theirs='".* not found"',
        ours='".* not found( in namespace argocd)?"',
    ),
    Known(
        "errors: bad input",
        "What the caller can set right is 400 with code 3; Argo CD says 500 with code 2.",
        row="/broken/manifests|manifests.revision=nothing|selector=%3D%3D",
        field=r"^(status|\.code)$",
        theirs="500|2",
        ours="400|3",
    ),
    Known(
        "errors: sources",
        "The sentence says more: which source, and what there is instead.",
        row="/broken/manifests|manifests.revision=nothing",
        field=WORDS,
        theirs='".*(app path does not exist|unable to resolve).*"',
        ours='".*(app path does not exist|unable to resolve).*"',
    ),
    Known(
        "errors: `can-i`",
        "The sentence names the words that are not known, not all that are.",
        row="/can-i/nothing",
        field=WORDS,
    ),
    Known(
        "errors: denied",
        "Nobody is told which right is missing, nor by which token it was asked: the same bytes for all.",
        field=r"^\.(error|error\.message|message)$",
        theirs='"permission denied: .*"',
        ours='"permission denied"',
    ),
    Known(
        "errors: tokens",
        "A token that cannot be used is told apart from none.",
        row="as with a bad token",
        field=r"^\.(error|error\.message|message)$",
        theirs='"no session information"|-',
        ours='"invalid session: .*"',
    ),
    Known(
        "errors: paths",
        "A path that is not served is answered with the JSON of an error, not with text.",
        row="^/api/v1/nothing",
    ),
)

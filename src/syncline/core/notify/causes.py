"""The triggers and templates that only Syncline has: one notification per cause, whatever the number of Applications.

`on-cause` holds once for each cause of the published diagnosis, `on-cause-gone` once when it is gone. Both can be
replaced in the ConfigMap as `trigger.on-cause` and `template.cause-found`; there `cause` and `diagnosis` are
known, and `app` is not.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.model.notifications import Template, TriggerCondition

FOUND = "on-cause"
GONE = "on-cause-gone"
_NAMED = "{{.cause.name}}{{with .cause.object}} ({{.}}){{end}}"
_APPS = "{{range $at, $name := .cause.applications}}{{if lt $at 10}}\n  {{$name}}{{end}}{{end}}"
_MORE = "{{if gt (len .cause.applications) 10}}\n  and more{{end}}"

BUILT_IN_TRIGGERS: Mapping[str, tuple[TriggerCondition, ...]] = {
    FOUND: (TriggerCondition(when="cause.affected > 0", once_per="cause.id", send=("cause-found",)),),
    GONE: (TriggerCondition(when="true", once_per="cause.id", send=("cause-gone",)),),
}
BUILT_IN_TEMPLATES: Mapping[str, Template] = {
    "cause-found": {
        "message": f"{_NAMED}: {{{{.cause.message}}}}\n{{{{.cause.affected}}}} Applications are not in order because of"
        f" it:{_APPS}{_MORE}\n{{{{with .cause.fix}}}}fix: {{{{.}}}}\n{{{{end}}}}more: syncline diagnose"
        " {{.cause.id}}",
        "email": {"subject": f"{{{{.cause.affected}}}} Applications: {_NAMED}"},
        "pagerdutyv2": {
            "summary": f"{{{{.cause.affected}}}} Applications: {_NAMED}",
            "severity": "error",
            "source": "{{.cause.object}}",
            "class": "{{.cause.code}}",
            "dedupKey": "syncline-{{.cause.id}}",
        },
    },
    "cause-gone": {
        "message": f"{_NAMED} is gone",
        "email": {"subject": f"Gone: {_NAMED}"},
        "pagerdutyv2": {
            "summary": f"{_NAMED} is gone",
            "severity": "info",
            "source": "{{.cause.object}}",
            "class": "{{.cause.code}}",
            "dedupKey": "syncline-{{.cause.id}}",
            "eventAction": "resolve",
        },
    },
}

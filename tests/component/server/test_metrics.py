"""Figures for Prometheus: Argo CD's names and labels, in a form that its own parser would take."""

from __future__ import annotations

import re

from tests.support.web import Site, on_site

LINE = re.compile(
    r'^[a-z_][a-z0-9_]*(\{[a-z_][a-z0-9_]*="([^"\\\n]|\\[\\"n])*"(,[a-z_][a-z0-9_]*="([^"\\\n]|\\[\\"n])*")*\})? \S+$'
)
# As `argocd_app_info` of Argo CD has them.
LABELS = (
    "namespace",
    "name",
    "project",
    "autosync_enabled",
    "repo",
    "dest_server",
    "dest_namespace",
    "sync_status",
    "health_status",
    "operation",
)


def test_figures_have_the_names_of_argo_cd_and_every_line_can_be_parsed() -> None:
    async def story(site: Site) -> None:
        ben = await site.as_("ben")
        await ben.get("/api/v1/applications")
        text = (await ben.get("/metrics")).body.decode()
        lines = text.splitlines()
        samples = [line for line in lines if not line.startswith("#")]
        assert [line for line in samples if not LINE.fullmatch(line)] == []
        apps = [line for line in samples if line.startswith("argocd_app_info{")]
        assert [tuple(re.findall(r'(\w+)="', line)) for line in apps] == [LABELS, LABELS]
        assert 'name="shop",project="team",autosync_enabled="false"' in apps[0]
        assert 'argocd_login_request_total{status="success"} 1' in lines
        assert 'argocd_cluster_connection_status{server="https://kubernetes.default.svc"} 1' in lines
        path = 'method="GET",path="/api/v1/applications"'
        assert f'syncline_http_requests_total{{{path},code="200"}} 1' in lines
        buckets = [line for line in lines if line.startswith(f"syncline_http_request_duration_seconds_bucket{{{path}")]
        counts = [int(line.rpartition(" ")[2]) for line in buckets]
        assert counts == sorted(counts)
        assert counts[-1] == 1
        kinds = {line.split()[2] for line in lines if line.startswith("# TYPE")}
        assert len(kinds) == sum(line.startswith("# TYPE") for line in lines), "a family is told once"
        assert (await (await site.as_("ann")).get("/metrics")).status == 403

    on_site(story)

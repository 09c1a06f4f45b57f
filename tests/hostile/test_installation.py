"""The attacked installation works for those who mean well: without that no refusal in this folder proves anything."""

from __future__ import annotations

from tests.hostile.installation import HOME, Installation


def test_honest_application_is_delivered(installation: Installation) -> None:
    def synced() -> bool:
        status = (installation.application("honest") or {}).get("status") or {}
        return (status.get("sync") or {}).get("status") == "Synced"

    installation.until(synced, "delivery of the honest Application")
    assert (installation.read("ConfigMap", "honest", "team-a-main") or {})["data"] == {"note": "team-a"}


def test_writes_of_both_processes_are_in_the_audit_log(installation: Installation) -> None:
    def written() -> bool:
        return any(
            (entry["objectRef"]["namespace"], entry["objectRef"]["resource"]) == ("team-a-main", "configmaps")
            for entry in installation.writes()
            if entry["objectRef"].get("namespace")
        )

    installation.until(written, "an audit entry for the delivered object")


def test_alice_sees_her_team_alone(installation: Installation) -> None:
    answer = installation.as_("alice").get("/api/v1/applications")
    assert {app["spec"]["project"] for app in answer.json["items"]} <= {"team-a", "open-a"}
    assert installation.as_("nobody").get("/api/v1/applications").json["items"] in (None, [])


def test_processes_run_without_rights_beyond_their_roles(installation: Installation) -> None:
    """The API server refuses both accounts what no role gives them, so that a wall stands behind Syncline's own."""
    for component in ("controller", "server"):
        user = f"system:serviceaccount:{HOME}:syncline-{component}"
        for verb, path in (
            ("DELETE", "/api/v1/namespaces/vault/configmaps/payments"),
            ("GET", "/api/v1/secrets"),
            ("GET", "/api/v1/namespaces/kube-system/secrets"),
            ("GET", "/api/v1/nodes"),
            ("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"),
            ("POST", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{HOME}/rolebindings"),
        ):
            status, _ = installation.api.request(verb, path, {} if verb == "POST" else None, user=user)
            assert status == 403, f"{component}: {verb} {path}"

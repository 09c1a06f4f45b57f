"""An image of the cluster's own registry is missing because of the build that should make it, and of no other."""

import pytest

from syncline.core.diagnose.graph.diagnose import diagnose
from tests.support.sick_fleet import Fleet, made

IMAGE = "image-registry.openshift-image-registry.svc:5000/shop/web:latest"


def fleet_with(output: str, phase: str) -> Fleet:
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    for spec in fleet.change("web"):
        spec["containers"][0]["image"] = IMAGE
    fleet.waits("web", "ImagePullBackOff", f"Back-off pulling image {IMAGE}: {IMAGE}: not found")
    spec = {"output": {"to": {"kind": "ImageStreamTag", "name": output}}}
    status = {"phase": phase, "message": "Failed to fetch the input source."}
    fleet.add(made("build.openshift.io/v1", "Build", "shop", "web-1", spec=spec, status=status), "web")
    fleet.settle()
    return fleet


@pytest.mark.parametrize(
    ("output", "phase", "image_is_a_cause"),
    [
        pytest.param("web:latest", "Failed", False, id="its build failed"),
        pytest.param("web:latest", "Complete", True, id="its build is complete"),
        pytest.param("web:other", "Failed", True, id="a build of another tag failed"),
    ],
)
def test_a_missing_image_leads_to_the_build_that_should_make_it(
    output: str,
    phase: str,
    image_is_a_cause: bool,
) -> None:
    found = {one.finding.code for one in diagnose(fleet_with(output, phase).snapshot()).causes}
    assert ("WKL-002" in found) is image_is_a_cause

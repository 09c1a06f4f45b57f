"""`why` about files that make no object or give a key twice."""

import msgspec

from tests.support.objects import desired
from tests.unit.diagnose.test_why import only, why


def test_an_app_without_objects_says_why() -> None:
    told = "deploy makes no objects: the folder is empty"
    finding = only(why(wanted=msgspec.structs.replace(desired(), manifest_warnings=(told,))))
    assert (finding.code, finding.message) == ("SRC-101", told)

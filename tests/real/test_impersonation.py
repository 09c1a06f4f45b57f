"""With impersonation on, the service account of the project writes: the audit log of a real server says so."""

from tests.real import audit
from tests.real.api import Api
from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support import stories
from tests.support.impersonation_story import written_and_deleted_as_the_account
from tests.support.loops.running import run_real


def test_objects_are_written_and_deleted_as_the_account_and_only_with_its_rights(
    real_cluster: Cluster, api: Api
) -> None:
    async def main() -> None:
        bed = RealBed(real_cluster, impersonation=True)

        async def writers() -> set[tuple[str, str]]:
            audit.settle(api, bed.target)
            return {
                (entry["verb"], entry.get("impersonatedUser", entry["user"])["username"])
                for entry in audit.entries(real_cluster, bed.target)
                if entry["objectRef"]["resource"] == "configmaps"
                and entry["verb"] in audit.WRITES
                and entry["responseStatus"]["code"] < 300
                and "fieldManager=player" not in entry["requestURI"]
            }

        await stories.play(bed, lambda _bed: written_and_deleted_as_the_account(bed, writers))

    run_real(main())

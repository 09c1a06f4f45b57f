"""What the API server's own admission does to writes: LimitRanges, ResourceQuotas and pod security.

`syncline.sandbox.api.finishing` calls `fill` and `mutate` before and `check` after the rules of the kind;
`syncline.sandbox.api.writes` charges quotas when an object is stored. Rules that tests put in are
`syncline.sandbox.cluster.controls`.
"""

from syncline.sandbox.admission.chain import check, check_delete, fill, mutate

__all__ = ["check", "check_delete", "fill", "mutate"]

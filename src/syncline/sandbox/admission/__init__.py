"""What the API server's own admission does to writes: LimitRanges, ResourceQuotas and pod security.

`syncline.sandbox.finishing` calls `mutate` before and `check` after the rules of the kind; `syncline.sandbox.writes`
charges quotas when an object is stored. Rules that tests put in are `syncline.sandbox.controls`.
"""

from syncline.sandbox.admission.chain import check, mutate

__all__ = ["check", "mutate"]

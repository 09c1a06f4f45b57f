"""CronJobs with a schedule or time zone that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository import refused
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="WKL-110",
    name="schedule-refused",
    severity=Severity.ERROR,
    summary="The schedule or the time zone of a CronJob cannot be read.",
    fix="write minute, hour, day, month and weekday (0 to 6), and a time zone such as Europe/Berlin",
    looks_at=(LooksAt.RENDERED,),
    why="The API server refuses the CronJob. A schedule has five fields, or is one of @hourly, @daily, @weekly, "
    "@monthly, @yearly and @every 1h30m; Sunday is 0 and not 7; a time zone goes into timeZone and not into the "
    "schedule.",
    bad="""\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 25 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers: [{name: report, image: "example/report:1"}]
""",
    good="""\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 23 * * mon-fri"
  timeZone: Europe/Berlin
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers: [{name: report, image: "example/report:1"}]
""",
)


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per schedule or time zone."""
    return refused.reported(RULE, repo, one, lambda problem: refused.is_schedule(one[1], problem))

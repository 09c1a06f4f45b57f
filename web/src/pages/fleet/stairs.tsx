// The order of repair: one column per step, height is apps predicted OK, accent is what the step gains.
import type { FleetCause } from "../../lib/types";
import { count } from "../../lib/words";
import { CopyButton } from "../../ui/copy";

interface Props {
  good: number;
  total: number;
  repairs: { cause: string; goodAfter: number }[];
  causes: FleetCause[];
}

const SHOWN = 7;

export interface Stair {
  cause: FleetCause;
  before: number;
  after: number;
}

export function stairs(good: number, repairs: Props["repairs"], causes: FleetCause[]): Stair[] {
  let before = good;
  const found: Stair[] = [];
  for (const repair of repairs) {
    const cause = causes.find((one) => one.id === repair.cause);
    if (cause) found.push({ cause, before, after: Math.max(before, repair.goodAfter) });
    before = Math.max(before, repair.goodAfter);
  }
  return found;
}

export function Stairs({ good, total, repairs, causes }: Props) {
  const steps = stairs(good, repairs, causes);
  if (!steps.length) return null;
  const shown = steps.length > SHOWN ? steps.slice(0, SHOWN - 1) : steps;
  const rest = steps.slice(shown.length);
  return (
    <section>
      <div class="sh-row">
        <h2>Repair in this order</h2>
        <span class="q">apps predicted OK after each step, at most</span>
        <span class="end">
          <CopyButton small label="Copy as plan" text={asText(good, total, steps)} />
        </span>
      </div>
      <ol
        class="stairs"
        style={{ "--n": shown.length + (rest.length ? 2 : 1), "--all": total }}
        aria-label="Predicted recovery"
      >
        <li class="stair" style={{ "--v": good, "--p": good }}>
          <span class="bar">
            <i />
            <b>
              {count(good)} <small>OK now</small>
            </b>
          </span>
          <span class="t">
            <span class="b">Now</span>
            <span class="q">{count(total - good)} not OK</span>
          </span>
        </li>
        {shown.map((step) => (
          <Column key={step.cause.id} step={step} />
        ))}
        {rest.length > 0 && (
          <li class="stair" style={{ "--v": rest.at(-1)!.after, "--p": rest[0]!.before }}>
            <span class="bar">
              <i />
              <u />
              <b>
                {count(rest.at(-1)!.after)} <small>+{rest.at(-1)!.after - rest[0]!.before}</small>
              </b>
            </span>
            <span class="t">
              <a class="l" href="/causes">
                {rest.length} more steps
              </a>
              <span class="mv"> → {count(rest.at(-1)!.after)}</span>
              <span class="q">#{rest.map((step) => step.cause.rank).join(", #")}</span>
            </span>
          </li>
        )}
      </ol>
    </section>
  );
}

function Column({ step }: { step: Stair }) {
  return (
    <li class="stair" style={{ "--v": step.after, "--p": step.before }}>
      <span class="bar">
        <i />
        <u />
        <b>
          {count(step.after)} {step.after > step.before && <small>+{step.after - step.before}</small>}
        </b>
      </span>
      <span class="t">
        <a class="ref" href={`/causes/${encodeURIComponent(step.cause.id)}`}>
          #{step.cause.rank}
        </a>{" "}
        {deed(step.cause)}
        <span class="mv"> → {count(step.after)}</span>
        <span class="q" title={step.cause.thing}>
          {step.cause.name.replaceAll("-", " ")}
        </span>
      </span>
    </li>
  );
}

function deed(cause: FleetCause): string {
  if (cause.files) return cause.files === 1 ? "patch 1 file" : `patch ${cause.files} files`;
  return cause.command ? "run 1 command" : "your decision";
}

function asText(good: number, total: number, steps: Stair[]): string {
  const lines = steps.map(
    (step, i) =>
      `${i + 1}. #${step.cause.rank} ${step.cause.title}: ${deed(step.cause)}; then ${step.after} of ${total} predicted OK`,
  );
  return [`${good} of ${total} apps OK now. Repair in this order:`, ...lines].join("\n");
}

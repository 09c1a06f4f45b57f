// The states that every list and page has: reading, refused, failed, stale, nothing there.
import type { ComponentChildren } from "preact";
import type { Failure } from "../lib/api";
import type { Look } from "../lib/look";
import type { Read } from "../lib/use";
import { clock } from "../lib/words";
import { Shape } from "./shape";

export function Note({ look, children, end }: { look?: Look; children: ComponentChildren; end?: ComponentChildren }) {
  return (
    <div class={`note ${look ?? ""}`}>
      {look && <Shape look={look} />}
      <span>{children}</span>
      {end && <span class="end">{end}</span>}
    </div>
  );
}

/** Keeps the place of what is being read, and names it. */
export function Reading({ what, rows = 4 }: { what: string; rows?: number }) {
  return (
    <div class="reading">
      <p class="q" role="status">
        Reading {what}.
      </p>
      <div aria-hidden="true">
        {Array.from({ length: rows }, (_, i) => (
          <div class="row" key={i}>
            <span />
            <span class="skel" style={{ width: `${80 - ((i * 17) % 30)}%` }} />
            <span class="skel" style={{ width: `${62 - ((i * 13) % 24)}%` }} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** Says that what is shown could not be read again, and of when it is. */
export function Outdated({ read, what }: { read: Read<unknown>; what: string }) {
  if (!read.failure || !read.data) return null;
  return (
    <div class="gap">
      <Note look="unk">
        <b>
          {what} could not be read again since {clock(read.at)}.
        </b>{" "}
        “{read.failure.message}” {read.failure.hint}
      </Note>
    </div>
  );
}

/** Leads to the login, and back to where one is. */
export function SignIn() {
  return (
    <a class="btn sm" href={`/login?to=${encodeURIComponent(location.pathname + location.search)}`}>
      Sign in
    </a>
  );
}

/** Says who failed, at what, and what still works; who may not see something is told which permission is missing. */
export function Failed({ failure, what, again }: { failure: Failure; what: string; again?: () => void }) {
  const button = again && (
    <button type="button" class="btn sm" onClick={again}>
      Try now
    </button>
  );
  if (failure.signedOut)
    return (
      <Note look="dec" end={<SignIn />}>
        <b>Not signed in.</b> {what} is shown to accounts that may see it.
      </Note>
    );
  if (failure.refused)
    return (
      <Note look="unk" end={button}>
        <b>You may not see {what}.</b> “{failure.message}” {failure.hint}
      </Note>
    );
  return (
    <Note look="bad" end={button}>
      <b>{what} could not be read.</b> “{failure.message}” {failure.hint}
    </Note>
  );
}

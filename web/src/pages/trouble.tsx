// What keeps a page from showing how things are now: the server is away, the session has ended, the cluster is away.
import { fleet, useFleet } from "../lib/fleet";
import { useNow } from "../lib/use";
import { clock } from "../lib/words";
import { Note, SignIn } from "../ui/note";

const FORGIVEN = 1500;

export function Trouble() {
  const state = useFleet();
  const now = useNow();
  const lost = state.lostAt > 0 && now - state.lostAt > FORGIVEN;
  if (!state.head || (!lost && !state.head.trouble)) return null;
  return (
    <section class="trouble" aria-label="State of this page">
      {!lost ? (
        <Note look="unk">
          <b>The cluster does not answer.</b> “{state.head.trouble}” The page shows what was last read of it.
        </Note>
      ) : state.failure?.signedOut ? (
        <Note look="dec" end={<SignIn />}>
          <b>Your session has ended.</b> The page shows what it last knew, at {clock(state.lostAt)}.
        </Note>
      ) : (
        <Note
          look="bad"
          end={
            <button type="button" class="btn sm" onClick={() => fleet.retry()}>
              Try now
            </button>
          }
        >
          <b>The server lost its stream at {clock(state.lostAt)}.</b> The page shows what it last knew.
          {state.nextAt > now && ` Trying again in ${Math.ceil((state.nextAt - now) / 1000)} s.`}
        </Note>
      )}
    </section>
  );
}

// Objects of an app that this installation does not know: what would change hands, and the button that approves it.
import { useState } from "preact/hooks";
import { appPath, Failure, send } from "../../lib/api";
import type { Adoption } from "../../lib/types";
import { plural } from "../../lib/words";
import { Failed, Note } from "../../ui/note";
import { Obj } from "../../ui/object";
import type { TabProps } from "./props";

interface AdoptProps {
  adoption: Adoption | undefined;
  name: TabProps["name"];
  /** Whether the reader may approve; undefined before the server has said so. */
  may: boolean | undefined;
  /** The right that it takes, as policies write it. */
  right: string;
  /** What to do once the approval is recorded, or once another list is waiting. */
  again: () => void;
}

export function Adopt({ adoption, name, may, right, again }: AdoptProps) {
  const [state, say] = useState<{ asked?: boolean; failure?: Failure }>({});
  const objects = adoption?.objects ?? [];
  if (!adoption || !objects.length) return null;
  const approve = async () => {
    say({ asked: true });
    try {
      await send("POST", appPath(name, "adopt"), { digest: adoption.digest });
      say({});
      again();
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure(0, String(error));
      say({ failure });
      if (failure.status === 409) again();
    }
  };
  return (
    <div class="gap">
      <Note
        look="dec"
        end={
          may && (
            <button type="button" class="btn sm" disabled={!!state.asked} onClick={() => void approve()}>
              Adopt {plural(objects.length, "object")}
            </button>
          )
        }
      >
        <b>
          {plural(objects.length, "object")} {objects.length === 1 ? "is" : "are"} tracked for an app that this
          installation does not know.
        </b>{" "}
        No sync writes {objects.length === 1 ? "it" : "them"} before{" "}
        {may === false ? "someone approves" : "you approve"} it.{may === false && ` You may not: that takes ${right}.`}
      </Note>
      <ul class="list small" aria-label="Objects to adopt">
        {objects.map((one) => (
          <li key={one.key}>
            <Obj of={one.object} /> <span class="q">tracked for {one.app}</span>
          </li>
        ))}
      </ul>
      {state.failure && <Failed failure={state.failure} what="The approval" />}
    </div>
  );
}

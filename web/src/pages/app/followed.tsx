// One Application as it is now, however it changes while somebody looks; and what is said where it is not to be seen.
import { useEffect, useRef, useState } from "preact/hooks";
import { type AppName, appPath, query } from "../../lib/api";
import type { FleetState } from "../../lib/fleet";
import type { Application, Row } from "../../lib/types";
import { type Read, useRead, useStream } from "../../lib/use";
import { Failed, Note, Reading } from "../../ui/note";

function isNewer(one: Application, other: Application): boolean {
  return Number(one.metadata.resourceVersion) > Number(other.metadata.resourceVersion);
}

interface Followed {
  shown: Application | undefined;
  listed: Row | undefined;
  read: Read<Application>;
  take: (told: Application) => void;
}

/** An Application as it is now: read, followed, and read again when it was deleted, or may no longer be seen. */
export function useApplication(app: AppName, fleet: FleetState): Followed {
  const { name, namespace } = app;
  const read = useRead<Application>(appPath(app));
  const [streamed, set] = useState<Application>();
  // An answer may come after a newer state has come by the stream.
  const take = (told: Application) => set((known) => (known && isNewer(known, told) ? known : told));
  const afresh = () => {
    set(undefined);
    read.again();
  };
  const away = read.failure?.away === true;
  useStream<{ type: string; application: Application }>(
    `/api/v1/stream/applications${query({ name, appNamespace: namespace })}`,
    fleet.links,
    (told) => {
      if (told.application.metadata.name !== name) return;
      if (told.type === "DELETED" || away) afresh();
      else take(told.application);
    },
  );
  const listed = [...fleet.rows.values()].find(
    (one) => one.name === name && (!namespace || one.namespace === namespace),
  );
  // No stream tells of a right that was taken away, nor of what happened while it was away: the fleet's list does.
  const known = useRef({ links: 0, listed: false });
  useEffect(() => {
    const before = known.current;
    known.current = { links: fleet.links, listed: !!listed };
    if (before.links && (before.links !== fleet.links || before.listed !== !!listed)) afresh();
  }, [fleet.links, !!listed]);
  return { shown: away ? undefined : (streamed ?? read.data), listed, read, take };
}

export function NotShown({ name, read }: { name: string; read: Read<Application> }) {
  if (!read.failure) return <Reading what={`Application ${name}`} />;
  if (read.failure.status !== 404)
    return <Failed failure={read.failure} what={`Application ${name}`} again={read.again} />;
  return (
    <Note look="unk">
      <b>{read.at ? `${name} was deleted.` : `There is no Application ${name}.`}</b> It is shown here once it is created
      {read.at ? " again" : ""}.
    </Note>
  );
}

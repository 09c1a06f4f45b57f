// An app's row of the fleet made from the app alone, until the fleet is read.
import type { Application, Row } from "../../lib/types";

export function rowOf(app: Application): Row {
  const { status, spec, metadata } = app;
  const set = metadata.ownerReferences?.find((owner) => owner.kind === "ApplicationSet");
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    project: spec.project ?? "default",
    sync: status?.sync?.status ?? "",
    health: status?.health?.status ?? "",
    operation: status?.operationState?.phase ?? "",
    sentence: status?.conditions?.[0]?.message ?? "",
    since: status?.health?.lastTransitionTime ?? "",
    causes: [],
    cluster: spec.destination?.name ?? spec.destination?.server ?? "",
    destinationNamespace: spec.destination?.namespace ?? "",
    revision: status?.sync?.revision ?? "",
    auto: !!spec.syncPolicy?.automated,
    set: set?.name ?? "",
    version: "",
  };
}

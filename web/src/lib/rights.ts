// What whoever is signed in may do. A button that one may not press is not shown.
import { useRead } from "./use";

interface Subject {
  project: string;
  namespace: string;
  name: string;
}

function rightsName(app: Subject): string {
  const parts = app.namespace && app.namespace !== "argocd" ? [app.project, app.namespace] : [app.project];
  return [...parts, app.name].map(encodeURIComponent).join("/");
}

export function mayPath(action: string, app: Subject): string {
  return `/api/v1/account/can-i/applications/${action}/${rightsName(app)}`;
}

/** Whether something may be done to an app; not before the server has said so. */
export function useMay(action: string, app: Subject | undefined): boolean {
  const read = useRead<{ value: string }>(app ? mayPath(action, app) : null);
  return read.data?.value === "yes";
}

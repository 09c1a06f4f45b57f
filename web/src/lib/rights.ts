// What whoever is signed in may do. A button that one may not press is not shown.
import { useRead } from "./use";

interface Subject {
  project: string;
  namespace: string;
  name: string;
}

function partsOf(app: Subject): string[] {
  return [app.project, ...(app.namespace && app.namespace !== "argocd" ? [app.namespace] : []), app.name];
}

/** The right as policies write it: `applications, sync, default/hello`. */
export function rightText(action: string, app: Subject): string {
  return `applications, ${action}, ${partsOf(app).join("/")}`;
}

export function mayPath(action: string, app: Subject): string {
  return `/api/v1/account/can-i/applications/${action}/${partsOf(app).map(encodeURIComponent).join("/")}`;
}

/** Whether something may be done to an app; undefined before the server has said so. */
export function useMay(action: string, app: Subject | undefined): boolean | undefined {
  const read = useRead<{ value: string }>(app ? mayPath(action, app) : null, 10_000);
  return read.data && read.data.value === "yes";
}

// What every tab of the app page is given.
import type { AppName } from "../../lib/api";
import type { Application } from "../../lib/types";
import type { Where } from "../../lib/url";

export interface TabProps {
  app: Application;
  name: AppName;
  where: Where;
}

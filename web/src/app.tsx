// The frame around every page: top bar, what the address asks for, and the overlays.
import { lazy, Suspense } from "preact/compat";
import { useEffect } from "preact/hooks";
import { useKeys } from "./lib/keys";
import { switchTheme } from "./lib/theme";
import { followLinks, go, useWhere, type Where, withParams } from "./lib/url";
import { AppPage } from "./pages/app/page";
import { CausePage, CausesPage } from "./pages/cause/page";
import { FleetPage } from "./pages/fleet/page";
import { KeyboardHelp } from "./pages/help";
import { Palette } from "./pages/palette";
import { TopBar } from "./pages/top";
import { Trouble } from "./pages/trouble";
import { Reading } from "./ui/note";

// What few people open is read when they do.
const CheckPage = lazy(() => import("./pages/check/page").then((found) => found.CheckPage));
const SetsPage = lazy(() => import("./pages/more/sets").then((found) => found.SetsPage));
const ProjectsPage = lazy(() => import("./pages/more/projects").then((found) => found.ProjectsPage));
const ClustersPage = lazy(() => import("./pages/more/clusters").then((found) => found.ClustersPage));
const RepositoriesPage = lazy(() => import("./pages/more/repositories").then((found) => found.RepositoriesPage));
const SettingsPage = lazy(() => import("./pages/more/settings").then((found) => found.SettingsPage));
const LoginPage = lazy(() => import("./pages/more/login").then((found) => found.LoginPage));

function Page({ where }: { where: Where }) {
  const [first, second, third] = where.path.split("/").filter(Boolean).map(decodeURIComponent);
  switch (first) {
    case undefined:
    case "fleet":
      return <FleetPage />;
    case "apps":
      return second ? (
        <AppPage key={`${where.params.get("ns")}/${second}`} name={second} tab={third ?? "why"} />
      ) : (
        <FleetPage />
      );
    case "causes":
      return second ? <CausePage key={second} id={second} /> : <CausesPage />;
    case "check":
      return <CheckPage />;
    case "applicationsets":
      return <SetsPage name={second} />;
    case "projects":
      return <ProjectsPage name={second} />;
    case "clusters":
      return <ClustersPage />;
    case "repositories":
      return <RepositoriesPage />;
    case "settings":
      return <SettingsPage />;
    case "login":
      return <LoginPage />;
    default:
      return (
        <div class="page full">
          <main id="main">
            <h1>There is no page {where.path}.</h1>
            <p class="gap">
              <a class="l" href="/fleet">
                Go to the fleet
              </a>
            </p>
          </main>
        </div>
      );
  }
}

/** Where Escape leads: one step up. */
function up(path: string): string {
  return path.startsWith("/causes/") ? "/causes" : "/fleet";
}

export function App() {
  const where = useWhere();
  const overlay = where.params.get("show");
  const close = () => go(withParams({ show: null, find: null }), { replace: true });
  useEffect(() => {
    addEventListener("click", followLinks);
    return () => removeEventListener("click", followLinks);
  }, []);
  useKeys({
    "mod+k": () => go(withParams({ show: "find" })),
    "?": () => go(withParams({ show: "keys" })),
    "g f": () => go("/fleet"),
    "g c": () => go("/causes"),
    "g k": () => go("/check"),
    t: switchTheme,
    Escape: () => {
      if (where.path !== "/fleet" && where.path !== "/") go(up(where.path));
      else if (where.params.size) go("/fleet");
    },
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {where.path !== "/login" && <TopBar where={where} />}
      {where.path !== "/login" && <Trouble />}
      <Suspense
        fallback={
          <div class="page full">
            <main>
              <Reading what="the page" />
            </main>
          </div>
        }
      >
        <Page where={where} />
      </Suspense>
      {overlay === "find" && <Palette where={where} close={close} />}
      {overlay === "keys" && <KeyboardHelp close={close} />}
    </>
  );
}

// Sign in: with a local account, or with the provider that the installation names.
import { useState } from "preact/hooks";
import { Failure, send } from "../../lib/api";
import { safeTarget } from "../../lib/target";
import type { ServerSettings } from "../../lib/types";
import { useWhere } from "../../lib/url";
import { useRead, useTitle } from "../../lib/use";
import { Note } from "../../ui/note";

export function LoginPage() {
  const where = useWhere();
  const settings = useRead<ServerSettings>("/api/v1/settings");
  const [failure, fail] = useState<Failure>();
  const [busy, wait] = useState(false);
  useTitle("Sign in");
  const to = safeTarget(where.params.get("to"));
  const provider = settings.data?.oidcConfig?.name ?? settings.data?.dexConfig?.connectors?.[0]?.name;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    wait(true);
    fail(undefined);
    try {
      await send("POST", "/api/v1/session", { username: form.get("username"), password: form.get("password") });
      location.assign(to);
    } catch (error) {
      fail(error instanceof Failure ? error : new Failure(0, String(error)));
      wait(false);
    }
  };
  return (
    <main id="main" class="login">
      <h1>Sign in to Syncline</h1>
      {where.params.get("link") === "used" && !failure && (
        <Note look="dec">
          <b>This link was used already, or is too old.</b> Sign in as admin; the password is in a Secret:{" "}
          <code>
            kubectl get secret argocd-initial-admin-secret -n argocd -o jsonpath='{"{.data.password}"}' | base64 -d
          </code>
        </Note>
      )}
      {failure && (
        <Note look={failure.status === 0 ? "bad" : "dec"}>
          <b>{failure.signedOut ? "Not signed in: name or password is wrong." : "Not signed in."}</b>{" "}
          {failure.signedOut ? "" : `“${failure.message}” ${failure.hint}`}
        </Note>
      )}
      {!settings.data?.userLoginsDisabled && (
        <form onSubmit={(event) => void submit(event)}>
          <label>
            Account
            <input class="field big" name="username" autocomplete="username" required />
          </label>
          <label>
            Password
            <input class="field big" name="password" type="password" autocomplete="current-password" required />
          </label>
          <button type="submit" class="btn pri" disabled={busy}>
            {busy ? "Asking the server" : "Sign in"}
          </button>
        </form>
      )}
      {provider && (
        <p>
          <a class="btn" href={`/auth/login?return_url=${encodeURIComponent(to)}`}>
            Sign in with {provider}
          </a>
        </p>
      )}
      <p class="q">
        In a demo no password is needed: use the link that <span class="m">syncline demo</span> prints.
      </p>
    </main>
  );
}

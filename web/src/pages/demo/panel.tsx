// The demo's two breaks, started and healed from the page. Shown only where the server is a demo.
import { useState } from "preact/hooks";
import { Failure, send } from "../../lib/api";
import type { Break, Demo, Said } from "../../lib/types";
import { useRead } from "../../lib/use";
import { clock } from "../../lib/words";
import { Shape } from "../../ui/shape";

export function DemoPanel() {
  const demo = useRead<Demo>("/api/v1/syncline/demo", 3000);
  const [said, say] = useState<Record<string, string>>({});
  // Who may not break things is not offered to.
  if (!demo.data?.breaks?.length || !demo.data.may) return null;
  const act = async (one: Break) => {
    const verb = one.broken ? "heal" : "break";
    say((old) => ({ ...old, [one.name]: `asked ${clock(Date.now())}` }));
    try {
      const told = await send<Said>("POST", `/api/v1/syncline/demo/${one.name}/${verb}`);
      say((old) => ({ ...old, [one.name]: told.said }));
    } catch (error) {
      const why = error instanceof Failure ? error.message : String(error);
      say((old) => ({ ...old, [one.name]: `not done: “${why}”` }));
    }
    demo.again();
  };
  return (
    <section aria-label="Try it">
      <div class="sh-row">
        <h2>Try it</h2>
        <span class="q">two breaks; watch the page find them, say why, and see them healed</span>
      </div>
      <ol class="demo">
        {demo.data.breaks.map((one) => (
          <li key={one.name}>
            <Shape look={one.broken ? "dec" : "ok"} label={one.broken ? "broken on purpose" : "not broken"} />
            <span>
              <b>{one.title}</b>
              <br />
              <span class="m q">{one.command}</span>
            </span>
            <span class="q" role="status">
              {said[one.name] ?? one.said}
            </span>
            <button
              type="button"
              class="btn sm"
              onClick={() => void act(one)}
              aria-label={`${one.broken ? "Heal" : "Break"}: ${one.title}`}
            >
              {one.broken ? "Heal" : "Break"}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

// All keys on one screen, and the switch that turns single keys off.
import { useState } from "preact/hooks";
import { keysOn, turnKeys } from "../lib/keys";
import { Dialog } from "../ui/dialog";

const KEYS: [string, [string[], string][]][] = [
  [
    "Anywhere",
    [
      [["⌘K"], "find anything (Ctrl K)"],
      [["?"], "this help"],
      [["g", "f"], "go to fleet"],
      [["g", "c"], "go to causes"],
      [["g", "k"], "go to check"],
      [["t"], "light or dark"],
      [["Esc"], "close, or go up"],
    ],
  ],
  [
    "In a list",
    [
      [["j", "k"], "next, previous row"],
      [["Enter"], "open"],
      [["[", "]"], "previous, next group"],
      [["h", "l"], "fold, unfold"],
      [["/"], "filter this list"],
      [["x"], "pick, for several at once"],
      [["1", "9"], "only this cause"],
      [["u"], "take in updates"],
    ],
  ],
  [
    "On an app",
    [
      [["w"], "why"],
      [["d"], "diff"],
      [["v"], "waves"],
      [["e"], "timeline"],
      [["o"], "logs"],
      [["b"], "manifest and blame"],
      [["c"], "copy fix"],
      [["s"], "sync: plan first"],
      [["r"], "refresh now"],
    ],
  ],
];

export function KeyboardHelp({ close }: { close: () => void }) {
  const [on, set] = useState(keysOn());
  return (
    <Dialog label="Keyboard" close={close} wide={820}>
      <header>
        <h2>Keyboard</h2>
      </header>
      <div class="in">
        <div class="keys">
          {KEYS.map(([title, rows]) => (
            <div key={title}>
              <h3>{title}</h3>
              <dl>
                {rows.map(([keys, text]) => (
                  <>
                    <dt>
                      {keys.map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{text}</dd>
                  </>
                ))}
              </dl>
            </div>
          ))}
        </div>
      </div>
      <footer>
        <label class="q">
          <input
            type="checkbox"
            checked={on}
            onChange={(event) => {
              turnKeys(event.currentTarget.checked);
              set(event.currentTarget.checked);
            }}
          />{" "}
          Single keys are on. Nothing that writes has a key that acts at once: <kbd>s</kbd> opens the plan.
        </label>
        <span class="end">
          <button type="button" class="btn" onClick={close}>
            Close
          </button>
        </span>
      </footer>
    </Dialog>
  );
}

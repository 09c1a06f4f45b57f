// A dialog: its title is the consequence. Keeps the focus inside, gives it back, and makes the page behind inert.
import type { ComponentChildren } from "preact";
import { createPortal } from "preact/compat";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../lib/keys";

const REACHABLE = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex='0']";

interface Props {
  label: string;
  close: () => void;
  wide?: number;
  kind?: string;
  children: ComponentChildren;
}

export function Dialog({ label, close, wide, kind, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useKeys({ Escape: close });
  useEffect(() => {
    const page = document.getElementById("app");
    const before = document.activeElement;
    page?.setAttribute("inert", "");
    const first = box.current?.querySelector<HTMLElement>("[autofocus], input") ?? box.current;
    first?.focus();
    return () => {
      page?.removeAttribute("inert");
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const stay = (event: KeyboardEvent) => {
    if (event.key !== "Tab" || !box.current) return;
    const all = [...box.current.querySelectorAll<HTMLElement>(REACHABLE)];
    const [first, last] = [all[0], all.at(-1)];
    const at = document.activeElement;
    if (event.shiftKey && (at === first || at === box.current)) last?.focus();
    else if (!event.shiftKey && at === last) first?.focus();
    else return;
    event.preventDefault();
  };
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: a click beside the dialog closes it, as Escape does
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key
    <div class="veil" onClick={(event) => event.target === event.currentTarget && close()}>
      <div
        ref={box}
        class={`dlg ${kind ?? ""}`}
        style={wide ? { "--dw": `${wide}px` } : {}}
        role="dialog"
        aria-modal="true"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={stay}
      >
        {children}
      </div>
    </div>,
    document.body,
  );
}

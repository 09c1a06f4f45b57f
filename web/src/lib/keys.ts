// Single keys and two-key words such as `g f`. Off while somebody types, and when turned off in the help.
import { useEffect, useRef } from "preact/hooks";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

const stack: { current: Keys }[] = [];
let first = "";
let timer = 0;

export function keysOn(): boolean {
  return localStorage.getItem("keys") !== "off";
}

export function turnKeys(on: boolean): void {
  localStorage.setItem("keys", on ? "on" : "off");
}

function typing(target: EventTarget | null): boolean {
  const at = target as HTMLElement | null;
  return !!at?.closest?.("input, textarea, select, [contenteditable=true], .cm-editor");
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const word = (event.metaKey || event.ctrlKey ? "mod+" : "") + event.key;
  if (event.altKey || (event.metaKey || event.ctrlKey ? word.toLowerCase() !== "mod+k" : false)) return;
  const single = event.key.length === 1 && word === event.key;
  if (single && (typing(event.target) || !keysOn())) return;
  if (event.key === "Enter" && (event.target as Element).closest?.("a, button, input, summary, [role=option]")) return;
  const pair = first ? `${first} ${event.key}` : "";
  first = "";
  clearTimeout(timer);
  const name = word.toLowerCase() === "mod+k" ? "mod+k" : word;
  // Two keys that belong together go before what the second one means alone.
  for (const wanted of pair ? [pair, name] : [name]) {
    const act = [...stack].reverse().find((keys) => keys.current[wanted])?.current[wanted];
    if (!act) continue;
    event.preventDefault();
    act(event);
    return;
  }
  if (single && stack.some((keys) => Object.keys(keys.current).some((key) => key.startsWith(`${event.key} `)))) {
    first = event.key;
    timer = window.setTimeout(() => {
      first = "";
    }, 900);
  }
}

/** Listen to keys for as long as the component is there; what is mounted last hears first. */
export function useKeys(keys: Keys, on = true): void {
  const held = useRef(keys);
  held.current = keys;
  useEffect(() => {
    if (!on) return;
    if (!stack.length) addEventListener("keydown", press);
    stack.push(held);
    return () => {
      stack.splice(stack.indexOf(held), 1);
      if (!stack.length) removeEventListener("keydown", press);
    };
  }, [on]);
}

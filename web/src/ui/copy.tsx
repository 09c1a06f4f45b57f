// Copies plain text that works when pasted, and says so for a moment.
import { useState } from "preact/hooks";

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "vh";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function CopyButton(props: { text: string; label: string; main?: boolean; small?: boolean; id?: string }) {
  const [said, say] = useState("");
  const act = async () => {
    say((await copy(props.text)) ? "Copied" : "Not copied: the browser refused");
    setTimeout(() => say(""), 2000);
  };
  return (
    <button
      type="button"
      id={props.id}
      class={`btn${props.main ? " pri" : ""}${props.small ? " sm" : ""}`}
      onClick={act}
    >
      <span aria-live="polite">{said || props.label}</span>
    </button>
  );
}

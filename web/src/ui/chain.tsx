// The chain of evidence: one hop per object, with quoted messages and where they were read. The first bad one is tinted.
import type { Hop } from "../pages/app/hops";
import { Frame } from "./frame";
import { Obj, Told } from "./object";
import { Shape } from "./shape";

export function Chain({ hops, selected }: { hops: Hop[]; selected?: string | null }) {
  return (
    <ol class="chain">
      {hops.map((hop) => (
        <li key={hop.key} class={`hop${hop.first ? " first" : ""}${isSelected(hop, selected) ? " sel" : ""}`}>
          <Shape look={hop.look} />
          <div>
            <div class="h">
              <span class="hs">
                {hop.ref ? <Obj of={hop.ref} /> : <span class={hop.counted ? "b" : "obj"}>{hop.name}</span>}{" "}
                <span class={hop.first ? "b c-bad" : ""}>
                  <Told text={hop.state} />
                </span>
                {hop.more > 0 && <span class="q"> and {hop.more} more like it</span>}
              </span>
              <span class="end">{hop.link}</span>
            </div>
            {hop.quotes.map((quote, i) => (
              <p class="ev" key={i}>
                {quote.text}
              </p>
            ))}
            <p class="by">{[...new Set(hop.quotes.map((quote) => quote.from))].filter(Boolean).join(" · ")}</p>
            {hop.facts.map((fact) => (
              <p class="by" key={fact}>
                <Told text={fact} />
              </p>
            ))}
            {hop.code.map((code) => (
              <Frame
                key={code.place}
                place={code.place}
                lines={code.text.split("\n").map((text, i) => ({ n: code.line + i, text, guilty: i === 0 }))}
              />
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}

function isSelected(hop: Hop, selected: string | null | undefined): boolean {
  return !!selected && !!hop.ref && selected.endsWith(`/${hop.ref.name}`) && selected.includes(`${hop.ref.kind}:`);
}

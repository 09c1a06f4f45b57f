// The five shapes. Drawn, so that no platform turns one into an emoji; always with the word for those who cannot see it.
import { type Look, WORDS } from "../lib/look";

const DRAWN: Record<Look, preact.JSX.Element> = {
  bad: <path d="M2 2l8 8M10 2l-8 8" stroke="currentColor" stroke-width="2.6" />,
  dec: <path d="M6 .6L11.4 6 6 11.4.6 6z" fill="currentColor" />,
  work: (
    <>
      <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M6 6V1.4A4.6 4.6 0 0 1 10.6 6z" fill="currentColor" />
    </>
  ),
  unk: <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" stroke-width="1.5" />,
  ok: <path d="M2.4 6.4l2.4 2.5 4.8-5.4" fill="none" stroke="currentColor" stroke-width="1.4" />,
};

export function Shape({ look, label }: { look: Look; label?: string }) {
  return (
    <svg class={`sh ${look}`} viewBox="0 0 12 12" role="img" aria-label={label ?? WORDS[look]}>
      {DRAWN[look]}
    </svg>
  );
}

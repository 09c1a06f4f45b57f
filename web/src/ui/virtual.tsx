// A list of any length that scrolls with the page: only what is visible, and one screen around it, is there.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Item {
  key: string;
  height: number;
}

interface Props<T extends Item> {
  items: T[];
  label: string;
  draw: (item: T, index: number) => ComponentChildren;
  /** The heading that stays on top while its rows scroll by. */
  sticky?: ((item: T) => ComponentChildren | null) | undefined;
  focus?: string | null;
}

export function offsets(items: Item[]): Float64Array {
  const tops = new Float64Array(items.length + 1);
  for (let i = 0; i < items.length; i++) tops[i + 1] = tops[i]! + items[i]!.height;
  return tops;
}

/** The index of the item that covers a height. */
export function at(tops: Float64Array, y: number): number {
  let low = 0;
  let high = tops.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

const STEP = 16;
const BAR = 48;

/** The item above which stays on top: the nearest that has a heading to show. */
function headOf<T extends Item>(items: T[], index: number, sticky: (item: T) => ComponentChildren | null): number {
  for (let i = Math.min(index, items.length - 1); i >= 0; i--) if (sticky(items[i]!)) return i;
  return -1;
}

export function VirtualList<T extends Item>({ items, label, draw, sticky, focus }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const tops = useMemo(() => offsets(items), [items]);
  const total = tops[items.length] ?? 0;
  const [seen, see] = useState({ from: 0, to: 48, head: -1 });

  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      if (!box.current) return;
      const top = -box.current.getBoundingClientRect().top;
      // In steps, so that most frames of a scroll have nothing to draw.
      const from = Math.floor(at(tops, Math.max(0, top - innerHeight)) / STEP) * STEP;
      const to = Math.min(items.length, Math.ceil((at(tops, top + 2 * innerHeight) + 1) / STEP) * STEP);
      const head = sticky && top > -BAR ? headOf(items, at(tops, top + BAR), sticky) : -1;
      see((old) => (old.from === from && old.to === to && old.head === head ? old : { from, to, head }));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
    };
  }, [tops, items]);

  useEffect(() => {
    if (!focus || !box.current) return;
    const index = items.findIndex((item) => item.key === focus);
    if (index < 0) return;
    const y = box.current.getBoundingClientRect().top + tops[index]!;
    if (y < 96) scrollBy(0, y - 96);
    else if (y + items[index]!.height > innerHeight) scrollBy(0, y + items[index]!.height - innerHeight + 8);
    // only a new choice scrolls, not a changed list
  }, [focus]);

  const shown = items.slice(seen.from, seen.to);
  const held = items[seen.head];
  const heading = held && sticky ? sticky(held) : null;
  return (
    <div class="vlist" ref={box} role="list" aria-label={label} style={{ height: `${total}px` }}>
      {heading && (
        <div class="vstick" aria-hidden="true">
          {heading}
        </div>
      )}
      {shown.map((item, i) => (
        <div
          key={item.key}
          class="vitem"
          role="listitem"
          aria-posinset={seen.from + i + 1}
          aria-setsize={items.length}
          style={{ transform: `translateY(${tops[seen.from + i]}px)`, height: `${item.height}px` }}
        >
          {draw(item, seen.from + i)}
        </div>
      ))}
    </div>
  );
}

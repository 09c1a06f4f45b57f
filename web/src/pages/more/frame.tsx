// The frame of the pages that are one sentence and one table.
import type { ComponentChildren } from "preact";
import type { Read } from "../../lib/use";
import { Failed, Outdated, Reading } from "../../ui/note";

interface Props<T> {
  title: string;
  what: string;
  read: Read<T>;
  facts?: ComponentChildren;
  children: ComponentChildren;
}

export function ListPage<T>({ title, what, read, facts, children }: Props<T>) {
  return (
    <div class="page full">
      <main id="main">
        <h1>{title}</h1>
        {facts && <p class="facts">{facts}</p>}
        <Outdated read={read} what={what} />
        <div class="gap">
          {read.failure && !read.data && <Failed failure={read.failure} what={what} again={read.again} />}
          {!read.data && !read.failure && <Reading what={what} />}
          {read.data && children}
        </div>
      </main>
    </div>
  );
}

export function Table({ heads, children }: { heads: string[]; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached with the keyboard
    <div class="scroll" tabIndex={0} role="region" aria-label={`Table of ${heads[0]}`}>
      <table class="tbl">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

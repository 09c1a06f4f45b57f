// A login leads to a page of this server, however the address of another one is spelt.
import { describe, expect, it } from "vitest";
import { safeTarget } from "../../src/lib/target";

const PARTS = [
  "/",
  "//",
  "\\",
  "\t",
  "\n",
  "\r",
  "evil.example",
  "@",
  ":",
  "?",
  "#",
  ".",
  "..",
  "%09",
  "%2f",
  "%5c",
  "%2e",
  "https:",
  "javascript:",
  " ",
  "\u0000",
  "\u3002",
  "\uff0f",
  "\u2044",
  "x",
  "apps",
];

/** Texts in an order that is the same every time. */
function* texts(count: number): Generator<string> {
  let state = 12345;
  const next = (below: number) => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state % below;
  };
  for (let number = 0; number < count; number++)
    yield Array.from({ length: 1 + next(6) }, () => PARTS[next(PARTS.length)]).join("");
}

describe("a login", () => {
  it("leads to pages of this server", () => {
    for (const good of ["/", "/apps/x", "/apps/a%2Fb/why?ns=team&x=%2F%2Fy", "/fleet?q=a/b//c", "/apps/x#y"])
      expect(safeTarget(good)).toBe(good);
  });

  it("leads nowhere else", () => {
    for (const bad of [
      null,
      "",
      "https://elsewhere.example",
      "//elsewhere.example",
      "/\\elsewhere.example",
      "/\t/elsewhere.example",
      "/\n/elsewhere.example",
      "/\r\n/elsewhere.example",
      "\t//elsewhere.example",
      "/.//elsewhere.example",
      "/%09/elsewhere.example",
      "javascript:alert(1)",
      "/x\u2028",
    ])
      expect(safeTarget(bad)).toBe("/fleet");
  });

  it("leads to this server whatever is made of the parts of addresses", () => {
    for (const text of texts(20000))
      for (const base of ["http://localhost:8080", "https://cd.example"])
        expect(new URL(safeTarget(text), base).origin).toBe(new URL(base).origin);
  });
});

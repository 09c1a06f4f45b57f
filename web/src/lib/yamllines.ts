// An object as lines, each with the path of the field it shows, as `syncline blame` takes it.
import { asYaml } from "./yaml";

export interface YamlLine {
  text: string;
  path: string;
}

function simple(of: unknown): boolean {
  return of === null || typeof of !== "object" || Object.keys(of).length === 0;
}

function named(of: unknown, i: number): string {
  const name = typeof of === "object" && of !== null ? (of as { name?: unknown }).name : undefined;
  return typeof name === "string" ? `[name=${name}]` : `[${i}]`;
}

/** `a.b`, or `a[b.c/d]` where the name itself has dots. */
function joined(path: string, name: string): string {
  const quoted = /[^\w-]/.test(name) ? `["${name}"]` : name;
  return quoted.startsWith("[") ? path + quoted : path ? `${path}.${quoted}` : quoted;
}

export function yamlLines(of: unknown, path = "", indent = ""): YamlLine[] {
  if (Array.isArray(of)) return of.flatMap((one, i) => listed(one, `${path}${named(one, i)}`, indent));
  const lines: YamlLine[] = [];
  for (const [name, one] of Object.entries(of as Record<string, unknown>)) {
    const here = joined(path, name);
    if (simple(one))
      for (const text of `${indent}${name}: ${asYaml(one, indent)}`.split("\n")) lines.push({ text, path: here });
    else {
      lines.push({ text: `${indent}${name}:`, path: "" });
      lines.push(...yamlLines(one, here, Array.isArray(one) ? indent : `${indent}  `));
    }
  }
  return lines;
}

function listed(one: unknown, path: string, indent: string): YamlLine[] {
  if (simple(one)) return [{ text: `${indent}- ${asYaml(one, indent)}`, path }];
  const lines = yamlLines(one, path, `${indent}  `);
  const first = lines[0];
  if (first) lines[0] = { ...first, text: `${indent}- ${first.text.trimStart()}` };
  return lines;
}

// Objects as YAML for reading. Not a general writer: what the server sends is JSON, and nobody parses this again.
const PLAIN = /^[A-Za-z_/][\w ./@:+-]*$/;
const WORDS = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

function scalar(of: unknown, indent: string): string {
  if (typeof of !== "string") return JSON.stringify(of);
  if (of.includes("\n")) {
    const lines = of.replace(/\n$/, "").split("\n");
    return `|${of.endsWith("\n") ? "" : "-"}\n${lines.map((line) => (line ? `${indent}  ${line}` : "")).join("\n")}`;
  }
  return PLAIN.test(of) && !WORDS.test(of) && !/: |:$| #/.test(of) && of.trim() === of ? of : JSON.stringify(of);
}

function isEmpty(of: unknown): boolean {
  return typeof of === "object" && of !== null && Object.keys(of).length === 0;
}

export function asYaml(of: unknown, indent = ""): string {
  if (of === null || typeof of !== "object" || isEmpty(of))
    return Array.isArray(of) ? "[]" : isEmpty(of) ? "{}" : scalar(of, indent);
  if (Array.isArray(of)) return of.map((one) => `${indent}- ${asYaml(one, `${indent}  `).trimStart()}`).join("\n");
  return Object.entries(of)
    .map(([name, one]) => {
      const nested = one !== null && typeof one === "object" && !isEmpty(one);
      if (!nested) return `${indent}${name}: ${asYaml(one, indent)}`;
      return `${indent}${name}:\n${asYaml(one, Array.isArray(one) ? indent : `${indent}  `)}`;
    })
    .join("\n");
}

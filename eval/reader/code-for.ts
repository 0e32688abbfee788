import { type Condition, lastName, type Question } from "../question.js";

/** The JavaScript that answers a question over the records of a stored output. */
export function codeFor(question: Question, reference: string): string {
  return [`const output = ${JSON.stringify(reference)};`, ...linesFor(question)].join("\n");
}

function linesFor(question: Question): readonly string[] {
  switch (question.kind) {
    case "lookup":
      return [
        `const asked = ${JSON.stringify(question.ids)};`,
        "const there = new Set();",
        'for (const r of outputs.open(output, ["id"])) there.add(r.id);',
        "return asked.filter((id) => there.has(id));",
      ];
    case "count":
    case "filter":
      return [
        "let n = 0;",
        `for (const r of outputs.open(output)) if (${question.where.map(conditionIn).join(" && ")}) n += 1;`,
        "return n;",
      ];
    case "search":
      return [
        "const ids = [];",
        `for (const r of outputs.open(output)) if (${conditionIn(question)}) ids.push(r.id);`,
        "return ids;",
      ];
    case "group":
      return [
        "const n = {};",
        `for (const r of outputs.open(output)) { const key = ${valueAt(question.path)}; n[key] = (n[key] ?? 0) + 1; }`,
        "return n;",
      ];
    case "top":
      return [
        "const all = [];",
        `for (const r of outputs.open(output)) all.push({ id: r.id, value: ${valueAt(question.path)} });`,
        "all.sort((a, b) => b.value - a.value || (a.id < b.id ? -1 : 1));",
        `return all.slice(0, ${question.count}).map((r) => r.id);`,
      ];
    case "synthesis": {
      const [by, mean] = [question.path, question.mean].map(lastName);
      return [
        "const groups = new Map();",
        "for (const r of outputs.open(output)) {",
        `  const key = ${valueAt(question.path)};`,
        '  const g = groups.get(key) ?? { key, n: 0, sum: 0, newest: "", id: null };',
        `  g.n += 1; g.sum += ${valueAt(question.mean)};`,
        `  if (${valueAt(question.newest)} > g.newest) { g.newest = ${valueAt(question.newest)}; g.id = r.id; }`,
        "  groups.set(key, g);",
        "}",
        "const [g] = [...groups.values()].sort((a, b) => b.n - a.n || (a.key < b.key ? -1 : 1));",
        `return { ${JSON.stringify(by)}: g.key, records: g.n, ${JSON.stringify(`mean_${mean}`)}: Math.round((g.sum / g.n) * 100) / 100, latest: g.id };`,
      ];
    }
  }
}

/** A path in the record `r`. */
function valueAt(path: string): string {
  return `r${path
    .split(".")
    .map((name, at) => `${at === 0 ? "" : "?."}[${JSON.stringify(name)}]`)
    .join("")}`;
}

function conditionIn(condition: Condition): string {
  const value = valueAt(condition.path);
  if ("is" in condition) return `${value} === ${JSON.stringify(condition.is)}`;
  if ("atLeast" in condition) return `${value} >= ${condition.atLeast}`;
  return `${value}?.includes(${JSON.stringify(condition.contains)})`;
}

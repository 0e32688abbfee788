import { lastName, type Condition, type Question } from "../question.js";

/** The jq filter that answers a question over records, which are what the filter `records` gives. */
export function jqFilterFor(question: Question, records: string): string {
  switch (question.kind) {
    case "lookup": {
      const asked = question.ids.map((id) => JSON.stringify(id)).join(", ");
      return `[${records} | .id | select(IN(${asked}))]`;
    }
    case "count":
    case "filter": {
      const where = question.where.map(conditionIn).join(" and ");
      return `reduce (${records} | select(${where})) as $r (0; . + 1)`;
    }
    case "search":
      return `[${records} | select(${conditionIn(question)}) | .id]`;
    case "group":
      return `reduce (${records}) as $r ({}; .[$r | ${pathIn(question.path)}] += 1)`;
    case "top":
      return (
        `reduce (${records}) as $r ([]; . + [[-($r | ${pathIn(question.path)}), $r.id]] | sort | .[:${question.count}]) | ` +
        "map(.[1])"
      );
    case "synthesis": {
      const [by, mean, newest] = [question.path, question.mean, question.newest].map(pathIn);
      return (
        `reduce (${records}) as $r ({}; .[$r | ${by}] |= {n: (.n + 1), sum: (.sum + ($r | ${mean})), ` +
        `last: ([.last, [($r | ${newest}), $r.id]] | max)}) | to_entries | sort_by([-.value.n, .key]) | .[0] | ` +
        `{${JSON.stringify(lastName(question.path))}: .key, records: .value.n, ` +
        `${JSON.stringify(`mean_${lastName(question.mean)}`)}: (.value.sum / .value.n * 100 | round / 100), ` +
        `latest: .value.last[1]}`
      );
    }
  }
}

/** A path in jq. */
function pathIn(path: string): string {
  return path
    .split(".")
    .map((name) => `.${JSON.stringify(name)}`)
    .join("");
}

/** A condition in jq. */
function conditionIn(condition: Condition): string {
  const at = pathIn(condition.path);
  if ("is" in condition) return `(${at} == ${JSON.stringify(condition.is)})`;
  if ("atLeast" in condition) return `(${at} >= ${condition.atLeast})`;
  return `(${at} | contains(${JSON.stringify(condition.contains)}))`;
}

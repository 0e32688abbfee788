import { lastName, type Condition, type Question } from "../question.js";

/** The jq filter that answers a question over an array of all records. */
export function jqFilterFor(question: Question): string {
  switch (question.kind) {
    case "lookup": {
      const asked = JSON.stringify(question.ids);
      return `map(.id) as $there | ${asked} | . - (. - $there)`;
    }
    case "count":
    case "filter":
      return `map(select(${question.where.map(conditionIn).join(" and ")})) | length`;
    case "search":
      return `map(select(${conditionIn(question)}) | .id)`;
    case "group": {
      const at = pathIn(question.path);
      return `group_by(${at}) | map({key: .[0] | ${at}, value: length}) | from_entries`;
    }
    case "top":
      return `sort_by([-${pathIn(question.path)}, .id]) | .[:${question.count}] | map(.id)`;
    case "synthesis": {
      const [by, mean, newest] = [question.path, question.mean, question.newest].map(pathIn);
      return (
        `group_by(${by}) | sort_by([-length, (.[0] | ${by})]) | .[0] | ` +
        `{${JSON.stringify(lastName(question.path))}: (.[0] | ${by}), records: length, ` +
        `${JSON.stringify(`mean_${lastName(question.mean)}`)}: (map(${mean}) | add / length * 100 | round / 100), ` +
        `latest: (max_by(${newest}) | .id)}`
      );
    }
  }
}

/** A path in jq. */
export function pathIn(path: string): string {
  return path
    .split(".")
    .map((name) => `.${JSON.stringify(name)}`)
    .join("");
}

/** A condition in jq. */
export function conditionIn(condition: Condition): string {
  const at = pathIn(condition.path);
  if ("is" in condition) return `(${at} == ${JSON.stringify(condition.is)})`;
  if ("atLeast" in condition) return `(${at} >= ${condition.atLeast})`;
  return `(${at} | contains(${JSON.stringify(condition.contains)}))`;
}

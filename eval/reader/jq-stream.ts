import { lastName, type Question } from "../question.js";
import { conditionIn, pathIn } from "./jq-filter.js";

/** The jq filter that answers a question record by record, for outputs that do not fit into jq's memory at once. */
export function jqStreamFor(question: Question): string {
  switch (question.kind) {
    case "lookup":
      return `[inputs | .id | select(IN(${question.ids.map((id) => JSON.stringify(id)).join(", ")}))]`;
    case "count":
    case "filter": {
      const where = question.where.map(conditionIn).join(" and ");
      return `reduce (inputs | select(${where})) as $r (0; . + 1)`;
    }
    case "search":
      return `[inputs | select(${conditionIn(question)}) | .id]`;
    case "group":
      return `reduce inputs as $r ({}; .[$r | ${pathIn(question.path)}] += 1)`;
    case "top":
      return (
        `reduce inputs as $r ([]; . + [[-($r | ${pathIn(question.path)}), $r.id]] | sort | .[:${question.count}]) | ` +
        "map(.[1])"
      );
    case "synthesis": {
      const [by, mean, newest] = [question.path, question.mean, question.newest].map(pathIn);
      return (
        `reduce inputs as $r ({}; .[$r | ${by}] |= {n: (.n + 1), sum: (.sum + ($r | ${mean})), ` +
        `last: ([.last, [($r | ${newest}), $r.id]] | max)}) | to_entries | sort_by([-.value.n, .key]) | .[0] | ` +
        `{${JSON.stringify(lastName(question.path))}: .key, records: .value.n, ` +
        `${JSON.stringify(`mean_${lastName(question.mean)}`)}: (.value.sum / .value.n * 100 | round / 100), ` +
        `latest: .value.last[1]}`
      );
    }
  }
}

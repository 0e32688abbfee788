import { lastName, type Condition, type Question } from "../question.js";

/** The SQL that answers a question over the table `output`. */
export function sqlQueryFor(question: Question): string {
  switch (question.kind) {
    case "lookup":
      return `SELECT id FROM output WHERE id IN (${question.ids.map(literal).join(", ")})`;
    case "count":
    case "filter":
      return `SELECT count(*) AS n FROM output WHERE ${question.where.map(conditionIn).join(" AND ")}`;
    case "search":
      return `SELECT id FROM output WHERE ${conditionIn(question)}`;
    case "group":
      return `SELECT ${column(question.path)} AS value, count(*) AS n FROM output GROUP BY 1 ORDER BY 1`;
    case "top":
      return `SELECT id FROM output ORDER BY ${column(question.path)} DESC, id LIMIT ${question.count}`;
    case "synthesis":
      return (
        `SELECT ${column(question.path)} AS value, count(*) AS n, round(avg(${column(question.mean)}), 2) AS mean, ` +
        `arg_max(id, ${column(question.newest)}) AS latest FROM output GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1`
      );
  }
}

/**
 * The answer in the table that the SQL tool prints: a header line, lines of cells, a line with the number of rows.
 * `undefined` when there is no such table.
 */
export function answerInTable(question: Question, text: string): unknown {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => /^[\d,]+ rows?\b/.test(line));
  if (end < 0) return undefined;
  const rows = lines.slice(1, end).map((line) => line.split(" | ").map(plainCell));
  const first = rows[0];
  switch (question.kind) {
    case "lookup":
    case "search":
    case "top":
      return rows.map(([id]) => id);
    case "count":
    case "filter":
      return Number(first?.[0]);
    case "group":
      return Object.fromEntries(rows.map(([value, n]) => [value, Number(n)]));
    case "synthesis":
      return {
        [lastName(question.path)]: first?.[0],
        records: Number(first?.[1]),
        [`mean_${lastName(question.mean)}`]: Number(first?.[2]),
        latest: first?.[3],
      };
  }
}

function plainCell(cell: string): string {
  return cell.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}

function column(path: string): string {
  return path
    .split(".")
    .map((name) => `"${name.replaceAll('"', '""')}"`)
    .join(".");
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function conditionIn(condition: Condition): string {
  const at = column(condition.path);
  if ("is" in condition) return `${at} = ${literal(condition.is)}`;
  if ("atLeast" in condition) return `${at} >= ${condition.atLeast}`;
  return `contains(${at}, ${literal(condition.contains)})`;
}

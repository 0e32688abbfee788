import { type Condition, lastName, type Question } from "./question.js";
import { type JsonRecord, numberAt, textAt, valueAt } from "./record.js";

/** The right answer of a question for these records; `null` where there is none, as for no records at all. */
export function answerOf(question: Question, records: readonly JsonRecord[]): unknown {
  switch (question.kind) {
    case "lookup": {
      const there = new Set(records.map(({ id }) => id));
      return question.ids.filter((id) => there.has(id));
    }
    case "count":
    case "filter":
      return records.filter((record) => question.where.every((one) => meets(record, one))).length;
    case "search":
      return records.filter((record) => meets(record, question)).map(({ id }) => id);
    case "group":
      return Object.fromEntries(
        [...grouped(records, question.path)].map(([value, group]) => [value, group.length]),
      );
    case "top":
      return records
        .toSorted(
          (one, other) =>
            numberAt(other, question.path) - numberAt(one, question.path) ||
            (one.id < other.id ? -1 : 1),
        )
        .slice(0, question.count)
        .map(({ id }) => id);
    case "synthesis":
      return largestGroup(question, records);
  }
}

function largestGroup(
  { path, mean, newest }: Extract<Question, { kind: "synthesis" }>,
  records: readonly JsonRecord[],
): unknown {
  const [largest] = [...grouped(records, path)].toSorted(
    ([one, ones], [other, others]) => others.length - ones.length || (one < other ? -1 : 1),
  );
  if (largest === undefined) return null;
  const [value, group] = largest;
  const sum = group.reduce((total, record) => total + numberAt(record, mean), 0);
  const latest = group.reduce((last, record) =>
    textAt(record, newest) > textAt(last, newest) ? record : last,
  );
  return {
    [lastName(path)]: value,
    records: group.length,
    [`mean_${lastName(mean)}`]: Math.round((100 * sum) / group.length) / 100,
    latest: latest.id,
  };
}

function meets(record: JsonRecord, condition: Condition): boolean {
  const value = valueAt(record, condition.path);
  if ("is" in condition) return value === condition.is;
  if ("atLeast" in condition) return typeof value === "number" && value >= condition.atLeast;
  return typeof value === "string" && value.includes(condition.contains);
}

function grouped(records: readonly JsonRecord[], path: string): Map<string, JsonRecord[]> {
  const groups = new Map<string, JsonRecord[]>();
  for (const record of records) {
    const value = textAt(record, path);
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [record]);
    else group.push(record);
  }
  return groups;
}

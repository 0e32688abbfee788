import type { Condition, Question } from "../question.js";

/**
 * Understands the words of a prompt. Paths are single names here, as the words have them; where they are in a record
 * the reader has to find out. `undefined` for a prompt of another form.
 */
export function readQuestion(prompt: string): Question | undefined {
  const lookup = /^Which of these ids do records have\? (\[.*\])$/m.exec(prompt);
  if (lookup?.[1] !== undefined) return { kind: "lookup", ids: JSON.parse(lookup[1]) };
  const counted = /^How many records have (.+)\?$/m.exec(prompt);
  if (counted?.[1] !== undefined) {
    const where = conditionsIn(counted[1]);
    return { kind: where.length === 1 ? "count" : "filter", where };
  }
  const searched = /^Which records have (.+)\?$/m.exec(prompt);
  const [condition] = conditionsIn(searched?.[1] ?? "");
  if (condition !== undefined && "contains" in condition) return { kind: "search", ...condition };
  const grouped = /^How many records are there for each (\w+)\?$/m.exec(prompt);
  if (grouped?.[1] !== undefined) return { kind: "group", path: grouped[1] };
  const top = /^Which (\d+) records have the highest (\w+)\?/m.exec(prompt);
  if (top?.[2] !== undefined) return { kind: "top", path: top[2], count: Number(top[1]) };
  const brief =
    /^Which (\w+) has the most records .* mean (\w+) of its records, .* latest (\w+)\?$/m.exec(
      prompt,
    );
  if (brief?.[1] !== undefined && brief[2] !== undefined && brief[3] !== undefined) {
    return { kind: "synthesis", path: brief[1], mean: brief[2], newest: brief[3] };
  }
  return undefined;
}

const CONDITION =
  /\ban? (\w+) of at least (-?\d+(?:\.\d+)?)|\ban? (\w+) that contains ("(?:[^"\\]|\\.)*")|\bthe (\w+) ("(?:[^"\\]|\\.)*")/g;

function conditionsIn(text: string): Condition[] {
  return [...text.matchAll(CONDITION)].map(([, number, least, searched, part, equal, value]) => {
    if (number !== undefined) return { path: number, atLeast: Number(least) };
    if (searched !== undefined) return { path: searched, contains: textOf(part) };
    return { path: equal ?? "", is: textOf(value) };
  });
}

function textOf(json: string | undefined): string {
  const text: unknown = JSON.parse(json ?? '""');
  return typeof text === "string" ? text : "";
}

/** The names of fields that a question is about. */
export function namesIn(question: Question): string[] {
  switch (question.kind) {
    case "lookup":
      return [];
    case "count":
    case "filter":
      return question.where.map(({ path }) => path);
    case "synthesis":
      return [question.path, question.mean, question.newest];
    default:
      return [question.path];
  }
}

/** The same question with the paths at which its names were found. */
export function atPaths(question: Question, paths: ReadonlyMap<string, string>): Question {
  const at = (name: string): string => paths.get(name) ?? name;
  switch (question.kind) {
    case "lookup":
      return question;
    case "count":
    case "filter":
      return { ...question, where: question.where.map((one) => ({ ...one, path: at(one.path) })) };
    case "synthesis":
      return {
        ...question,
        path: at(question.path),
        mean: at(question.mean),
        newest: at(question.newest),
      };
    default:
      return { ...question, path: at(question.path) };
  }
}

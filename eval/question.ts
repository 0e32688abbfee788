/** What a record must have; texts are compared with their case. */
export type Condition =
  | { readonly path: string; readonly is: string }
  | { readonly path: string; readonly contains: string }
  | { readonly path: string; readonly atLeast: number };

/** A question that has one right answer for a set of records. */
export type Question =
  | { readonly kind: "lookup"; readonly ids: readonly string[] }
  | { readonly kind: "count" | "filter"; readonly where: readonly Condition[] }
  | { readonly kind: "search"; readonly path: string; readonly contains: string }
  | { readonly kind: "group"; readonly path: string }
  | { readonly kind: "top"; readonly path: string; readonly count: number }
  | {
      readonly kind: "synthesis";
      readonly path: string;
      readonly mean: string;
      readonly newest: string;
    };

export type QuestionKind = Question["kind"];

/** The kinds in the order of the tables. */
export const QUESTION_KINDS: readonly QuestionKind[] = [
  "lookup",
  "count",
  "group",
  "top",
  "filter",
  "search",
  "synthesis",
];

/** The question in words. Fields are named by the last name of their path, as a person would. */
export function inWords(question: Question): string {
  switch (question.kind) {
    case "lookup":
      return (
        `Which of these ids do records have? ${JSON.stringify(question.ids)}\n` +
        "The answer is a JSON array of the ids that are there."
      );
    case "count":
    case "filter":
      return (
        `How many records have ${question.where.map(conditionInWords).join(" and ")}?\n` +
        "The answer is a JSON number."
      );
    case "search":
      return (
        `Which records have ${conditionInWords(question)}?\n` +
        "The answer is a JSON array of their ids, in any order."
      );
    case "group":
      return (
        `How many records are there for each ${lastName(question.path)}?\n` +
        "The answer is a JSON object from each value to its number of records."
      );
    case "top":
      return (
        `Which ${question.count} records have the highest ${lastName(question.path)}? ` +
        "Where it is equal, the record with the smaller id (as text) comes first.\n" +
        "The answer is a JSON array of their ids, the highest first."
      );
    case "synthesis": {
      const [by, mean, newest] = [question.path, question.mean, question.newest].map(lastName);
      return (
        `Which ${by} has the most records (where that is equal, the first in the alphabet), how many, ` +
        `what is the mean ${mean} of its records, and which of its records has the latest ${newest}?\n` +
        `The answer is a JSON object {"${by}": …, "records": …, "mean_${mean}": …, "latest": …}: the ` +
        "value, a number, a number rounded to two decimals, the id."
      );
    }
  }
}

/** `priority` of `extensions.priority`. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function conditionInWords(condition: Condition): string {
  const name = lastName(condition.path);
  if ("is" in condition) return `the ${name} ${JSON.stringify(condition.is)}`;
  const article = /^[aeiou]/.test(name) ? "an" : "a";
  if ("atLeast" in condition) return `${article} ${name} of at least ${condition.atLeast}`;
  return `${article} ${name} that contains ${JSON.stringify(condition.contains)}`;
}

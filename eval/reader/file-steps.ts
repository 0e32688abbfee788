import type { Question } from "../question.js";
import { answerSeenIn } from "./answer-seen.js";
import type { Sight } from "./query-steps.js";
import { answerFrom, type Step } from "./step.js";

/** Lines asked for in one call; the tool cuts at its own limit of characters. */
const LINES = 1_000;
/** The default would cut counts. */
const MAX_MATCHES = 1_000_000;

/**
 * Reads what deepagents has moved to a file, with its `read_file` and `grep`. Grep finds literal text in lines: the reader
 * looks for ids with it, one by one in one turn, and where records are lines it counts and searches with it. For all else
 * it reads the file from the beginning to the end, as far as the tool goes.
 */
export function nextFileStep({ question, stored, later }: Sight): Step {
  const { reference } = stored;
  const grepped = later.filter(({ name }) => name === "grep");
  const grep = (patterns: readonly string[], output_mode: string): Step => ({
    toolCalls: patterns.map((pattern) => ({
      name: "grep",
      args: { pattern, path: reference, output_mode, max_count: MAX_MATCHES },
    })),
  });
  if (question.kind === "lookup") {
    if (grepped.length === 0) return grep(question.ids, "files_with_matches");
    const found = grepped.filter(({ answer }) => answer.includes(reference));
    return answerFrom(found.map(({ args }) => args["pattern"]));
  }
  const text = stored.hasLines ? literalOf(question) : undefined;
  if (text !== undefined) {
    const [first] = grepped;
    if (first === undefined) return grep([text], question.kind === "count" ? "count" : "content");
    if (question.kind === "search") return answerFrom(answerSeenIn(question, first.answer));
    const count = /: *(\d+)\s*$/m.exec(first.answer)?.[1];
    return answerFrom(count === undefined ? null : Number(count));
  }
  const bodies = later.map(({ answer }) => bodyOf(answer));
  const last = bodies.at(-1);
  const offset = last === undefined ? 0 : last.end;
  if (last === undefined || (last.isWhole && last.end < last.total)) {
    const args = { file_path: reference, offset, limit: LINES };
    return { toolCalls: [{ name: "read_file", args }] };
  }
  return answerFrom(answerSeenIn(question, bodies.map(({ text }) => text).join("\n")));
}

/** What the lines of the records that are asked for have in them, in their JSON. */
function literalOf(question: Question): string | undefined {
  if (question.kind === "search") return question.contains;
  const [condition] = question.kind === "count" ? question.where : [];
  if (condition === undefined || !("is" in condition)) return undefined;
  return `${JSON.stringify(condition.path)}:${JSON.stringify(condition.is)}`;
}

interface FileBody {
  readonly text: string;
  /** The last line that is in it. */
  readonly end: number;
  readonly total: number;
  /** Whether its last line is there to its end, so that there is a next offset. */
  readonly isWhole: boolean;
}

/** The header of `read_file` says which lines follow it. */
function bodyOf(answer: string): FileBody {
  const header = /^@@ lines (\d+)-(\d+) of (\d+)(.*?)@@$/m.exec(answer);
  if (header === null) return { text: answer, end: 0, total: 0, isWhole: true };
  return {
    text: answer.slice(header.index + header[0].length),
    end: Number(header[2]),
    total: Number(header[3]),
    isWhole: !(header[4] ?? "").includes("mid-line"),
  };
}

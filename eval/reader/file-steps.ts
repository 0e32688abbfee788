import { answerSeenIn } from "./answer-seen.js";
import type { Sight } from "./query-steps.js";
import { answerFrom, type Step } from "./step.js";

/** Lines asked for in one call; the tool cuts at its own limit of characters. */
const LINES = 1_000;

/**
 * Reads what deepagents has moved to a file, with its `read_file` and `grep`. Grep finds literal text in lines, so the
 * reader looks for ids one by one, in one turn; for all else it reads the file from the beginning to the end, as far as
 * the tool goes.
 */
export function nextFileStep({ question, stored, later }: Sight): Step {
  const { reference } = stored;
  if (question.kind === "lookup") {
    if (later.length > 0) {
      const found = later.filter(({ answer }) => answer.includes(reference));
      return answerFrom(found.map(({ args }) => args["pattern"]));
    }
    return {
      toolCalls: question.ids.map((pattern) => ({
        name: "grep",
        args: { pattern, path: reference, output_mode: "files_with_matches" },
      })),
    };
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

import type { Question } from "../question.js";
import { answerSeenIn } from "./answer-seen.js";
import { type BoundTool, findTool, parameterOf } from "./bound-tool.js";
import type { Exchange } from "./conversation.js";
import { fieldPathsIn, locate } from "./field-paths.js";
import { jqFilterFor } from "./jq-filter.js";
import { atPaths, namesIn } from "./read-question.js";
import { answerInTable, sqlQueryFor } from "./sql-query.js";
import { answerFrom, type Step } from "./step.js";
import type { StoredOutput } from "./stored-output.js";

/** A reader in front of a descriptor. */
export interface Sight {
  readonly question: Question;
  readonly stored: StoredOutput;
  /** The tool message that stands for the output. */
  readonly descriptor: string;
  /** Tool calls since. */
  readonly later: readonly Exchange[];
  readonly tools: readonly BoundTool[];
}

interface Way {
  readonly tool: BoundTool;
  readonly args: (question: Question) => Readonly<Record<string, unknown>>;
  readonly answer: (question: Question, text: string) => unknown;
}

/**
 * Queries a stored output. Where the descriptor does not tell the fields, the reader looks at the first record before. It
 * asks in SQL if it can, looks for ids with grep where records are lines, and takes jq for the rest; a way that fails is
 * followed by the next.
 */
export function nextQueryStep(sight: Sight): Step {
  const { question, descriptor, later, tools } = sight;
  const names = namesIn(question);
  const read = findTool(tools, /read/);
  const looks = later.filter(({ name }) => name === read?.name);
  const known = [descriptor, ...looks.map(({ answer }) => answer)].flatMap(fieldPathsIn);
  const paths = locate(names, known);
  if (paths.size < new Set(names).size) {
    if (read === undefined || looks.length > 0) return answerFrom(null);
    return { toolCalls: [{ name: read.name, args: firstRecord(read, sight.stored) }] };
  }
  const located = atPaths(question, paths);
  const asked = later.filter(({ name }) => name !== read?.name);
  const ways = waysOf(sight);
  for (const [index, way] of ways.entries()) {
    const exchange = asked[index];
    if (exchange === undefined) {
      return { toolCalls: [{ name: way.tool.name, args: way.args(located) }] };
    }
    const answer = way.answer(located, exchange.answer);
    if (answer !== undefined) return answerFrom(answer);
  }
  return answerFrom(answerSeenIn(question, descriptor));
}

function waysOf({ question, stored, tools }: Sight): Way[] {
  const [sql, grep, jq] = [/sql/, /grep|search_large/, /jq|query_large/].map((name) =>
    findTool(tools, name),
  );
  return [
    ...(sql === undefined ? [] : [sqlWay(sql, stored)]),
    ...(grep === undefined || sql !== undefined || question.kind !== "lookup" || !stored.hasLines
      ? []
      : [grepWay(grep, stored)]),
    ...(jq === undefined ? [] : [jqWay(jq, stored)]),
  ];
}

function sqlWay(tool: BoundTool, stored: StoredOutput): Way {
  return {
    tool,
    args: (question) => ({ ...toStored(tool, stored), query: sqlQueryFor(question) }),
    answer: answerInTable,
  };
}

function grepWay(tool: BoundTool, stored: StoredOutput): Way {
  return {
    tool,
    args: (question) => ({
      ...toStored(tool, stored),
      pattern: question.kind === "lookup" ? question.ids.join("|") : "",
      max_results: question.kind === "lookup" ? question.ids.length : 0,
    }),
    answer: (question, text) =>
      question.kind === "lookup" ? question.ids.filter((id) => text.includes(id)) : undefined,
  };
}

/** Over the records one after the other: all of them may not fit into jq's memory at once. */
function jqWay(tool: BoundTool, stored: StoredOutput): Way {
  const parameter = parameterOf(tool, ["filter", "query"]) ?? "filter";
  const records = "slurp" in tool.parameters && stored.hasLines ? "inputs" : ".[]";
  return {
    tool,
    args: (question) => ({
      ...toStored(tool, stored),
      [parameter]: jqFilterFor(question, records),
    }),
    answer: (_question, text) => firstJson(text),
  };
}

function toStored(tool: BoundTool, { reference }: StoredOutput): Record<string, string> {
  const parameter = parameterOf(tool, ["id", "artifact_id", "filename"]) ?? "id";
  return { [parameter]: reference };
}

function firstRecord(tool: BoundTool, stored: StoredOutput): Record<string, unknown> {
  const range =
    "start_record" in tool.parameters
      ? { start_record: 1, end_record: 1 }
      : "start_line" in tool.parameters
        ? { start_line: 1, end_line: 1 }
        : { start: 0, end: 2_000 };
  return { ...toStored(tool, stored), ...range };
}

/** The JSON value that an answer begins with, on one line or on several. */
function firstJson(text: string): unknown {
  const lines = text.split("\n");
  for (let end = 1; end <= lines.length; end += 1) {
    try {
      return JSON.parse(lines.slice(0, end).join("\n"));
    } catch {
      // The value may go on on the next line.
    }
  }
  return undefined;
}

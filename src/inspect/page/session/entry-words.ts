import type { ReadEntry } from "../../../journal/entry.js";
import { bytes, counted, duration, grouped, shownLine, tokens } from "../format.js";

/** An entry as a line of the timeline says it. */
export interface EntryWords {
  readonly what: string;
  readonly detail: string;
  readonly figure: string;
  /** The output that it is about. */
  readonly output?: string | undefined;
  readonly tone: "stored" | "read" | "model" | "stayed" | "fault" | "other";
}

type Of<Type extends ReadEntry["type"]> = Extract<ReadEntry, { readonly type: Type }>;

/**
 * @param toolOf - The tool whose output an id is, where it is known.
 */
export function entryWords(
  entry: ReadEntry,
  toolOf: (id: string) => string | undefined,
): EntryWords {
  switch (entry.type) {
    case "offloaded":
      return offloaded(entry);
    case "stayed-inline":
      return {
        what: `${shownLine(entry.toolName, 80)} stayed in the context`,
        detail: entry.text ? shownLine(entry.text.text) : bytes(entry.sizeBytes),
        figure: tokens(Math.ceil(entry.sizeBytes / 4), false),
        tone: "stayed",
      };
    case "drilled-in":
      return drilledIn(entry, toolOf);
    case "model-called":
      return {
        what: `The model was called, call ${entry.call}`,
        detail: `with every output whole ${tokens(entry.withoutTokens)}`,
        figure: tokens(entry.contextTokens, false),
        tone: "model",
      };
    case "model-answered":
      return modelAnswered(entry);
    case "aged":
      return {
        what: `${counted(entry.results, "stale result")} left the context`,
        detail: "each behind a line that says how to read it again",
        figure: `${tokens(entry.freedTokens)} less`,
        tone: "other",
      };
    case "truncated":
      return {
        what: `${shownLine(entry.toolName, 80)} was cut`,
        detail: shownLine(entry.reason),
        figure: `${grouped(entry.totalTokens)} → ${tokens(entry.returnedTokens)}`,
        tone: "fault",
      };
    default:
      return other(entry);
  }
}

function offloaded({ artifact, descriptorTokens, form, reason }: Of<"offloaded">): EntryWords {
  const { toolName, sizeBytes, recordCount, tokens: whole, id } = artifact;
  const records = recordCount === undefined ? "" : `, ${counted(recordCount, "record")}`;
  return {
    what: `${shownLine(toolName, 80)} was stored`,
    detail: `${bytes(sizeBytes)}${records}; ${shownLine(reason, 100)}; form ${form}`,
    figure: `${grouped(whole)} → ${tokens(descriptorTokens)}`,
    output: id,
    tone: "stored",
  };
}

function drilledIn(
  entry: Of<"drilled-in">,
  toolOf: (id: string) => string | undefined,
): EntryWords {
  const { tool, artifactId, answerTokens, failed, durationMs } = entry;
  const of = artifactId === undefined ? undefined : toolOf(artifactId);
  const about = of === undefined ? "" : ` of ${shownLine(of, 80)}`;
  const asked = entry.arguments ? ` · ${shownLine(entry.arguments.text)}` : "";
  return {
    what: `${shownLine(tool, 80)}${about}${failed ? " failed" : ""}`,
    detail: `${duration(durationMs)}${asked}`,
    figure: tokens(answerTokens),
    output: artifactId,
    tone: failed ? "fault" : "read",
  };
}

function modelAnswered(entry: Of<"model-answered">): EntryWords {
  const { inputTokens, outputTokens, cachedTokens, toolCalls, failed, durationMs } = entry;
  const calls = toolCalls.map(({ name }) => shownLine(name, 60)).join(", ");
  const counted = [
    ...(inputTokens === undefined ? [] : [`${grouped(inputTokens)} in`]),
    ...(cachedTokens === undefined ? [] : [`${grouped(cachedTokens)} of them cached`]),
    ...(outputTokens === undefined ? [] : [`${grouped(outputTokens)} out`]),
  ];
  return {
    what: failed
      ? "The call of the model failed"
      : calls === ""
        ? "The model answered"
        : `The model called ${calls}`,
    detail: duration(durationMs),
    figure: counted.length === 0 ? "" : `${counted.join(", ")} tokens`,
    tone: failed ? "fault" : "model",
  };
}

const FAULTS: readonly ReadEntry["type"][] = [
  "write-failed",
  "missing",
  "option-failed",
  "unknown-tool",
  "entries-lost",
];
/** Fields that a line has in other words. */
const KNOWN = new Set(["v", "id", "at", "session", "type", "artifact"]);

/** The name of a field as people write it: `definition tokens`. */
const inWords = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function other(entry: ReadEntry): EntryWords {
  const artifact = "artifact" in entry ? entry.artifact : undefined;
  const facts = Object.entries(entry)
    .filter(
      ([name, value]) => !KNOWN.has(name) && ["string", "number", "boolean"].includes(typeof value),
    )
    .map(([name, value]) => `${inWords(name)} ${shownLine(String(value), 60)}`);
  return {
    what: `${entry.type.replaceAll("-", " ")}${artifact ? `: ${shownLine(artifact.toolName, 80)}` : ""}`,
    detail: facts.join(", "),
    figure: artifact ? tokens(artifact.tokens) : "",
    output: artifact?.id,
    tone: FAULTS.includes(entry.type) ? "fault" : "other",
  };
}

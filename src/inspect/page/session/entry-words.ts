import type { JournalText, ReadEntry } from "../../../plugins/journal/entry.js";
import { objectIn } from "../output/questions.js";
import { about, bytes, counted, duration, grouped, shownLine, tokens } from "../format.js";

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
        detail: joined(
          calledWith(entry.arguments),
          entry.text ? shownLine(entry.text.text) : bytes(entry.sizeBytes),
        ),
        figure: tokens(Math.ceil(entry.sizeBytes / 4), false),
        tone: "stayed",
      };
    case "drilled-in":
      return drilledIn(entry, toolOf);
    case "model-called":
      return {
        what: `Call ${entry.call} of the model`,
        detail: `without this library ${tokens(entry.withoutTokens, false)}`,
        figure: tokens(entry.contextTokens, false),
        tone: "model",
      };
    case "model-answered":
      return modelAnswered(entry);
    case "aged":
      return {
        what: `${counted(entry.results, "stale result")} taken out of the context`,
        detail: shownLine(entry.lines?.[0]?.text ?? "in place of each stands a line"),
        figure: `${tokens(entry.freedTokens, false)} less`,
        output: entry.artifactIds[0],
        tone: "other",
      };
    case "restored":
      return {
        what: "A stale result was read again whole",
        detail: "",
        figure: tokens(entry.answerTokens),
        output: entry.artifactId,
        tone: "read",
      };
    case "tools-shown":
      return {
        what: "The model was shown the read tools",
        detail: "their definitions stand in the context of each call",
        figure: tokens(entry.definitionTokens, false),
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

function offloaded({ artifact, descriptorTokens, reason }: Of<"offloaded">): EntryWords {
  const { toolName, sizeBytes, recordCount, tokens: whole, tokensExact, id } = artifact;
  const records = recordCount === undefined ? "" : `, ${counted(recordCount, "record")}`;
  return {
    what: `${shownLine(toolName, 80)} was stored`,
    detail: joined(
      calledWith(artifact.arguments),
      `${bytes(sizeBytes)}${records}; over the ${shownLine(reason, 100)}`,
    ),
    figure: `${tokensExact ? grouped(whole) : about(whole)} → ${tokens(descriptorTokens)}`,
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
  return {
    what: `${shownLine(tool, 80)}${about}${failed ? " failed" : ""}`,
    detail: joined(calledWith(entry.arguments, artifactId), duration(durationMs)),
    figure: tokens(answerTokens),
    output: artifactId,
    tone: failed ? "fault" : "read",
  };
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

/** The arguments of a call in short, without that which only names the output. */
function calledWith(given: JournalText | undefined, artifactId?: string): string {
  if (given === undefined) return "";
  if (given.withheld) return "arguments withheld";
  const members = Object.entries(objectIn(given.text) ?? {}).filter(
    ([, value]) => artifactId === undefined || !String(value).includes(artifactId),
  );
  const words = members.map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  if (members.length === 0) return objectIn(given.text) ? "" : shownLine(given.text, 120);
  return shownLine(words.join(", "), 160);
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

import type { AgentHooks } from "../../adapters/langchain/agent-hooks.js";
import { unwrapOutput } from "../../core/content/unwrap.js";
import { isPlain, jsonOf } from "../../core/content/value/any-json.js";
import { coreOf } from "../../core/plugin-host/plugin-host.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { errorName, OffloadError } from "../../core/types/errors.js";
import type { EventDetail, OffloadEvent } from "../../core/types/events.js";
import type { ToolOutput } from "../../core/types/output.js";
import type { Clean, OffloadPlugin } from "../../core/types/plugin.js";
import type { OffloadResult } from "../../core/types/result.js";
import { shortName } from "../../util/safe-text.js";
import {
  type Draft,
  ENTRIES,
  type JournalEntry,
  type JournalText,
  TABLES,
  written,
} from "./entry.js";
import { createRecorder, type Journal, type TakeText } from "./recorder.js";
import { fileJournal, type JournalOptions } from "./writer.js";

/**
 * Records what happens in files of a directory, for `npx langchain-offload inspect` and for support. It never fails or
 * delays a tool call. Without `inlineText` it has no text of outputs that stay inline, and with an encrypted store it
 * has no texts at all.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function journal(options: JournalOptions = {}): OffloadPlugin {
  return journalTo(fileJournal(options));
}

export function journalTo(to: Journal): OffloadPlugin {
  return {
    name: "journal",
    setup(api) {
      const { store, now } = api;
      const { isCleaned } = coreOf(api);
      const hasTexts = store.bodies !== "sealed";
      const hasInlineText = to.inlineText === true;
      if (hasInlineText && !hasTexts) {
        throw new OffloadError(
          "INVALID_OPTIONS",
          `The store ${store.name} encrypts, and inlineText of the plugin "journal" would write outputs in plain beside it. ` +
            "Leave inlineText out: over such a store a journal has no texts at all.",
        );
      }
      const clean: Clean = (text, part) => api.clean(text, part);
      const cleaner = () => (isCleaned() ? clean : undefined);
      const recorder = createRecorder({ journal: to, cleaner, hasTexts, now });
      let calls = 0;
      return {
        onEvent: (event, detail) => recorder.record((take) => eventEntry(event, detail, take)),
        onOutput({ output }, result) {
          if (result.outcome !== "inline") return;
          recorder.record((take) => stayedEntry(output, result, hasInlineText ? take : undefined));
        },
        agent: (): AgentHooks => ({
          onModelCall({ sessionKey, windowTokens, context }) {
            calls += 1;
            const call = calls;
            recorder.record(() =>
              draftOf("model-called", sessionKey, { ...context(), call, windowTokens }),
            );
            return ({ usage, ...end }) =>
              recorder.record(() =>
                draftOf("model-answered", sessionKey, { ...usage(), ...end, call }),
              );
          },
        }),
        close: () => recorder.flush(),
      };
    },
  };
}

/** Approximate limit for JSON made during a tool call, in UTF-16 units. */
const MAX_JSON_CHARACTERS = 65_536;

export function eventEntry(
  event: OffloadEvent,
  { descriptor, toolCallId, args, answerBytes, lines }: EventDetail,
  take: TakeText,
): Draft {
  const artifact = "storedArtifact" in event ? event.storedArtifact : undefined;
  const toolName = artifact?.toolName ?? ("tool" in event ? event.tool : "");
  const shown = (text: string) => take({ text, toolName, part: "descriptor" });
  const sessionKey = "sessionKey" in event ? event.sessionKey : artifact?.sessionKey;
  return draftOf(event.type, sessionKey, event, {
    toolCallId,
    artifact: artifact && artifactEntry(artifact, take),
    errorName: "error" in event ? errorName(event.error) : undefined,
    descriptor: descriptor === undefined ? undefined : shown(descriptor),
    lines: lines?.flatMap((line) => shown(line) ?? []),
    arguments: jsonText(args, toolName, take),
    answerBytes,
    data: "data" in event ? jsonText(event.data, event.plugin, take) : undefined,
  });
}

function artifactEntry(artifact: StoredArtifact, take: TakeText): object {
  const { args, toolName } = artifact;
  return written(TABLES.artifact, artifact, { arguments: jsonText(args, toolName, take) });
}

function stayedEntry(
  { toolName, toolCallId, args, sessionId }: ToolOutput,
  result: Extract<OffloadResult, { outcome: "inline" }>,
  take: TakeText | undefined,
): Draft {
  const { text = unwrappedText(result.value) } = result;
  const members = {
    toolName,
    toolCallId,
    sizeBytes: Buffer.byteLength(text ?? ""),
    text: text === undefined ? undefined : take?.({ text, toolName, part: "output" }),
    arguments: take && jsonText(args, toolName, take),
  };
  return draftOf("stayed-inline", sessionKeyOf(sessionId), {}, members);
}

function draftOf(
  type: JournalEntry["type"],
  session: string | undefined,
  from: object,
  beside: object = {},
): Draft {
  const entry = written(ENTRIES[type], from, beside);
  entry["type"] = type;
  if (session !== undefined) entry["session"] = shortName(session);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of the table of the type
  return entry as unknown as Draft;
}

function unwrappedText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? unwrapOutput({ value }).text : shortJson(value);
}

function jsonText(value: unknown, toolName: string, take: TakeText): JournalText | undefined {
  if (value === undefined) return undefined;
  return take({ text: shortJson(value), toolName, part: "arguments" });
}

/** `undefined` for a value without JSON, or one too large to inspect. Never throws. */
function shortJson(value: unknown): string | undefined {
  return isPlain(value, MAX_JSON_CHARACTERS) ? jsonOf(value) : undefined;
}

import type { AgentHooks } from "../../adapters/langchain/agent-hooks.js";
import { isPlain, jsonOf } from "../../core/content/value/any-json.js";
import { resultText } from "../../core/pipeline/inline.js";
import { coreOf } from "../../core/plugin-host/plugin-host.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import { errorName, refuseOptions } from "../../core/types/errors.js";
import { emit, type EventDetail, type OffloadEvent } from "../../core/types/events.js";
import type { ToolOutput } from "../../core/types/output.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import type { OffloadResult } from "../../core/types/result.js";
import { withDeadline } from "../../util/abort.js";
import { shortName, wholeCharactersEnd } from "../../util/safe-text.js";
import {
  type Draft,
  ENTRIES,
  type JournalEntry,
  type JournalText,
  TABLES,
  written,
} from "./entry.js";
import { fileJournal, type Journal, type JournalOptions } from "./writer.js";

/**
 * Records what happens in files of a directory, for `npx langchain-offload inspect` and for support. It never fails or
 * delays a tool call. Without `inlineText` it has no text of outputs that stay inline, and with an encrypted store no
 * texts at all. Plugins such as `redact` clean every text first; a text that they do not clean in time is withheld.
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
        refuseOptions(
          `The store ${store.name} encrypts, and inlineText of the plugin "journal" would write outputs in plain beside it. Leave inlineText out: over such a store a journal has no texts at all.`,
        );
      }
      let lastAt = 0;
      let waiting = 0;
      /** Keeps the order of the entries. Never rejects. */
      let tail: Promise<unknown> = Promise.resolve();
      function record(toolName: string, draft: (take: TakeText) => Draft): void {
        const cleaning: Promise<void>[] = [];
        const take: TakeText = (text, part) => {
          if (!hasTexts) return undefined;
          const withheld = { text: "", withheld: true as const };
          if (text === undefined) return withheld;
          if (part !== "asked" || !isCleaned()) return cut(text, MAX_WRITTEN[part]);
          const taken: { text: string; withheld?: true } = withheld;
          if (waiting >= MAX_WAITING) return taken;
          const clean = async () => {
            const cleaned = await withDeadline({ timeoutMs: MAX_CLEAN_MS, late: "late" }, () =>
              api.clean(text, { toolName, part: "arguments" }),
            );
            delete taken.withheld;
            Object.assign(taken, cut(cleaned, MAX_WRITTEN.asked));
          };
          cleaning.push(clean());
          return taken;
        };
        lastAt = Math.max(lastAt, now());
        const told = { v: 1, at: lastAt } as const;
        let entry: JournalEntry = { ...told, type: "entries-lost", entries: 1 };
        try {
          entry = { ...told, ...draft(take) };
        } catch {
          // No entry may fail a tool call.
        }
        const append = (): void => emit((one: JournalEntry) => to.append(one), entry);
        if (waiting === 0 && cleaning.length === 0) return append();
        const appendAfter = async (others: Promise<unknown>) => {
          waiting += 1;
          await Promise.allSettled([others, ...cleaning]);
          waiting -= 1;
          append();
        };
        tail = appendAfter(tail);
      }
      let calls = 0;
      return {
        onEvent: (event, detail) =>
          record(toolNameOf(event), (take) => eventEntry(event, detail, take)),
        onOutput({ output, source }, result) {
          if (result.outcome !== "inline") return;
          record(output.toolName, (take) =>
            stayedEntry(output, result, hasInlineText && source !== "user" ? take : undefined),
          );
        },
        agent: (): AgentHooks => ({
          onModelCall({ sessionKey, windowTokens, context }) {
            calls += 1;
            const call = calls;
            const ofCall = { call, windowTokens };
            record("", () => draftOf("model-called", sessionKey, { ...context(), ...ofCall }));
            return ({ usage, ...end }) =>
              record("", () => draftOf("model-answered", sessionKey, { ...usage(), ...end, call }));
          },
        }),
        async close() {
          await tail;
          await to.flush?.();
        },
      };
    },
  };
}

/** Entries whose texts are being cleaned; above, such texts are withheld. */
const MAX_WAITING = 256;
const MAX_CLEAN_MS = 5_000;

function toolNameOf(event: OffloadEvent): string {
  if ("storedArtifact" in event) return event.storedArtifact.toolName;
  return "tool" in event ? event.tool : "";
}

/**
 * `undefined` where no texts are written. No plugin has cleaned what was `asked`, which is what the model passed to a
 * call, or what another plugin told. A text that is `undefined` is withheld.
 */
export type TakeText = (
  text: string | undefined,
  part: keyof typeof MAX_WRITTEN,
) => JournalText | undefined;

/** In UTF-16 units. */
const MAX_WRITTEN = { descriptor: 32_768, kept: 4_096, asked: 4_096 } as const;

/** Approximate limit for JSON made during a tool call, in UTF-16 units. */
const MAX_JSON_CHARACTERS = 65_536;

export function eventEntry(
  event: OffloadEvent,
  { descriptor, toolCallId, args, answerBytes, lines }: EventDetail,
  take: TakeText,
): Draft {
  const artifact = "storedArtifact" in event ? event.storedArtifact : undefined;
  const sessionKey = "sessionKey" in event ? event.sessionKey : artifact?.sessionKey;
  return draftOf(event.type, sessionKey, event, {
    toolCallId,
    artifact:
      artifact &&
      written(TABLES.artifact, artifact, { arguments: jsonText(artifact.args, "kept", take) }),
    errorName: "error" in event ? errorName(event.error) : undefined,
    descriptor: descriptor === undefined ? undefined : take(descriptor, "descriptor"),
    lines: lines?.flatMap((line) => take(line, "descriptor") ?? []),
    arguments: jsonText(args, "asked", take),
    answerBytes,
    data: "data" in event ? jsonText(event.data, "asked", take) : undefined,
  });
}

function stayedEntry(
  { toolName, toolCallId, args, sessionId }: ToolOutput,
  result: Extract<OffloadResult, { outcome: "inline" }>,
  take: TakeText | undefined,
): Draft {
  const text = resultText(result);
  const members = {
    toolName,
    toolCallId,
    sizeBytes: Buffer.byteLength(text),
    text: take?.(text, "kept"),
    arguments: take && jsonText(args, "asked", take),
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

function jsonText(value: unknown, part: "kept" | "asked", take: TakeText): JournalText | undefined {
  return value === undefined ? undefined : take(shortJson(value), part);
}

function cut(text: string, most: number): JournalText {
  const end = wholeCharactersEnd(text, most);
  return end === text.length ? { text } : { text: text.slice(0, end), characters: text.length };
}

/** `undefined` for a value without JSON, or one too large to inspect. Never throws. */
function shortJson(value: unknown): string | undefined {
  return isPlain(value, MAX_JSON_CHARACTERS) ? jsonOf(value) : undefined;
}

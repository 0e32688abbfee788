import { coreOf } from "../../core/plugin-host/plugin-host.js";
import { OffloadError } from "../../core/types/errors.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { checkedOptions, having } from "../../util/option-rules.js";
import type { ModelAnswerEntry, ModelCallEntry } from "./entry.js";
import { eventEntry } from "./event-entry.js";
import { fileJournal, type JournalOptions } from "./file/file-journal.js";
import type { Journal } from "./journal.js";
import { createRecorder } from "./recorder.js";
import { stayedEntry } from "./stayed-entry.js";

/** A call of the model, as an agent tells of it. */
interface ToldModelCall {
  /** The hashed session. */
  readonly scope: string;
  readonly windowTokens: number | undefined;
  readonly context: () => Pick<
    ModelCallEntry,
    "parts" | "contextTokens" | "withoutTokens" | "largest"
  >;
}

/** How it ended. */
interface ToldModelAnswer extends Pick<ModelAnswerEntry, "failed" | "durationMs"> {
  readonly usage: () => Pick<
    ModelAnswerEntry,
    "inputTokens" | "outputTokens" | "cachedTokens" | "toolCalls"
  >;
}

/**
 * Keeps what happens, for `npx langchain-offload inspect` and for support: in files of a directory, or in a journal of
 * your own. It never fails or delays a tool call. Without `inlineText` it has no text of outputs that stay inline, and
 * over a store that encrypts it has no texts at all.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function journal(given: JournalOptions | Journal = {}): OffloadPlugin {
  const to = "append" in given ? ownJournal(given) : fileJournal(given);
  return {
    name: "journal",
    setup(api) {
      const { store, now } = api;
      const { isCleaned } = coreOf(api);
      const isEncrypted = store.bodies === "sealed";
      if (isEncrypted && to.inlineText === true) {
        throw new OffloadError(
          "INVALID_OPTIONS",
          `The store ${store.name} encrypts, and inlineText of the plug-in "journal" would write outputs in plain beside it. ` +
            "Leave inlineText out: over such a store a journal has no texts at all.",
        );
      }
      const recorder = createRecorder({
        journal: to,
        clean: (text, part) => (isCleaned() ? api.clean(text, part) : text),
        isCleaned,
        hasTexts: !isEncrypted,
        now,
      });
      let calls = 0;
      return {
        onEvent: (event, detail) => recorder.record((take) => eventEntry(event, detail, take)),
        onOutput({ output }, result) {
          if (result.outcome !== "inline") return;
          recorder.record((take) =>
            stayedEntry(output, result, recorder.inlineText ? take : undefined),
          );
        },
        agent: () => ({
          onModelCall({ scope, windowTokens, context }: ToldModelCall) {
            calls += 1;
            const about = { session: scope, call: calls };
            recorder.record(() => ({
              ...about,
              type: "model-called",
              ...context(),
              ...(windowTokens !== undefined && { windowTokens }),
            }));
            return ({ usage, failed, durationMs }: ToldModelAnswer) =>
              recorder.record(() => ({
                ...about,
                type: "model-answered",
                ...usage(),
                failed,
                durationMs,
              }));
          },
        }),
        close: () => recorder.flush(),
      };
    },
  };
}

function ownJournal(given: Journal): Journal {
  return checkedOptions("journal", having(["append"], "options, or a Journal"), given);
}

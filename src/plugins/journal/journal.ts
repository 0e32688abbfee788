import { coreOf } from "../../core/plugin-host/plugin-host.js";
import { OffloadError } from "../../core/types/errors.js";
import type { Clean, OffloadPlugin } from "../../core/types/plugin.js";
import { checkedOptions, having } from "../../util/option-rules.js";
import { eventEntry, stayedEntry } from "./draft.js";
import type { AnswerSummary, ContextSummary, Journal } from "./entry.js";
import { createRecorder } from "./recorder.js";
import { fileJournal, type JournalOptions } from "./writer.js";

/** A call of the model, as an agent tells of it. */
interface ToldModelCall {
  /** The hashed session. */
  readonly scope: string;
  readonly windowTokens: number | undefined;
  readonly context: () => ContextSummary;
}

/** How it ended. */
interface ToldModelAnswer {
  readonly failed: boolean;
  readonly durationMs: number;
  readonly usage: () => AnswerSummary;
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
      const hasTexts = store.bodies !== "sealed";
      const hasInlineText = to.inlineText === true;
      if (hasInlineText && !hasTexts) {
        throw new OffloadError(
          "INVALID_OPTIONS",
          `The store ${store.name} encrypts, and inlineText of the plug-in "journal" would write outputs in plain beside it. ` +
            "Leave inlineText out: over such a store a journal has no texts at all.",
        );
      }
      const clean: Clean = (text, part) => api.clean(text, part);
      const recorder = createRecorder({
        journal: to,
        cleaner: () => (isCleaned() ? clean : undefined),
        hasTexts,
        now,
      });
      let calls = 0;
      return {
        onEvent: (event, detail) => recorder.record((take) => eventEntry(event, detail, take)),
        onOutput({ output }, result) {
          if (result.outcome !== "inline") return;
          recorder.record((take) => stayedEntry(output, result, hasInlineText ? take : undefined));
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

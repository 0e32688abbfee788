import type { Cleaner } from "../content/clean/cleaner.js";
import { operationOf, sessionKeyOf } from "../store/naming.js";
import { contentAsCame } from "../store/lay-out.js";
import { newArtifact } from "../store/new-artifact.js";
import type { Lifetime } from "../store/lifetime.js";
import type { TokenMeasure } from "../measure/measure.js";
import { namedOrUsual } from "./option-faults.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { Notify } from "../types/events.js";
import type { ArtifactStore, NewArtifact } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Content } from "../types/content.js";
import type { ToolOutput } from "../types/output.js";
import { pause } from "../../util/pause.js";
import { sha256Of } from "../content/bytes.js";

export interface InlineResult extends Pick<
  ToolOutput,
  "toolName" | "toolCallId" | "args" | "sessionId"
> {
  readonly text: string;
  readonly id?: string | undefined;
  readonly isOnlyCopy: boolean;
  /** Shortest lifetime in milliseconds. */
  readonly lifeMs?: number | undefined;
}

interface KeptResult {
  readonly storedArtifact: StoredArtifact;
  readonly text: string;
  readonly content: Content;
}

/** @throws {@link OffloadError} with code `STORE_WRITE_FAILED` */
export type KeepResult = (result: InlineResult) => Promise<KeptResult>;

interface KeepParts {
  readonly store: ArtifactStore;
  readonly measure: TokenMeasure;
  readonly lifetime: Lifetime;
  readonly optionsOf: (output: ToolOutput) => ResolvedToolOptions;
  readonly onKept: (artifact: StoredArtifact) => void;
  readonly notify: Notify;
  readonly now: () => number;
  readonly cleanerOf: (output: ToolOutput) => Cleaner | undefined;
}

export function createKeepResult(parts: KeepParts): KeepResult {
  const { store, measure, lifetime, optionsOf, onKept, notify, now, cleanerOf } = parts;
  return async (given) => {
    // It may have bypassed `clean` before.
    const cleaner = cleanerOf({ ...given, value: given.text });
    const result = cleaner === undefined ? given : await cleaned(given, cleaner);
    const { text, id, isOnlyCopy, lifeMs = 0, ...about } = result;
    lifetime.checkOpen();
    await pause();
    const output: ToolOutput = { ...about, value: text };
    const options = optionsOf(output);
    const content = await contentAsCame(text);
    const staysHere = store.bodies !== "remote";
    const { artifact } = newArtifact({
      output,
      sessionKey: sessionKeyOf(output.sessionId),
      id,
      content,
      bodyBytes: content.body.length,
      bodySha256: staysHere ? undefined : await sha256Of(content.body),
      measurement: { ...(await measure.count(text)), characters: text.length, overLimit: true },
      operation: operationOf(output.toolName),
      detail: "full",
      header: false,
      fileName: namedOrUsual({ output, notify }, options.fileName),
      schemaVersion: "none",
      recipes: [],
      fields: [],
      nowMs: now(),
      ttlMs: Math.max(options.ttlMs, lifeMs),
    });
    const kept: NewArtifact = {
      ...artifact,
      wasInline: true,
      onlyCopy: isOnlyCopy ? true : undefined,
    };
    lifetime.coming(kept.id);
    try {
      const storedArtifact = await store.put(kept, [content.body]);
      onKept(storedArtifact);
      await lifetime.stored(storedArtifact, undefined);
      return { storedArtifact, text, content };
    } catch (error) {
      lifetime.gone(kept.id);
      throw error;
    }
  };
}

/** @throws {@link CleanFault}: the result then stays in the message. */
async function cleaned(result: InlineResult, cleaner: Cleaner): Promise<InlineResult> {
  const { text, args } = result;
  return {
    ...result,
    text: await cleaner.text(text, "output"),
    args: args && (await cleaner.value(args, "arguments")),
  };
}

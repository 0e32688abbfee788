import { withStandIns } from "../describe/stand-in.js";
import { fieldNames, profileContent } from "../describe/profile/profile-document.js";
import { detailOf, isMemorySet, MEMORY_SCHEMA_VERSION } from "../describe/recipes/memory.js";
import type { ReferenceOptions } from "../describe/references.js";
import { descriptorOrUsual, namedOrUsual, recipesOrUsual } from "../options/option-faults.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import { headed } from "../store/body/lay-out.js";
import { operationOf } from "../store/naming.js";
import { newArtifact } from "../store/new-artifact.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import { pause } from "../util/pause.js";
import type { Call, EncodedOutput, StoreVerdict } from "./call.js";
import { createRepeatedOutputs, type Kept, type RepeatedOutputs } from "./repeated-outputs.js";
import type { Steps } from "./walk.js";

/** What storing and describing work with. */
interface KeepingOptions {
  readonly store: ArtifactStore;
  readonly toolNames: DrillInToolNames;
  readonly references: ReferenceOptions | undefined;
  readonly count: (text: string) => Promise<number>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Asked before anything is stored. @throws where nothing may be */
  readonly checkOpen: () => void;
  /** Called after each output that was stored and described. */
  readonly onKept: (artifact: StoredArtifact) => void;
}

/** The steps `store -> describe` of the walk: both or neither. */
export interface Keeping extends Pick<Steps, "storeAndDescribe"> {
  /** Drops what is known of a scope's outputs. */
  readonly forget: RepeatedOutputs["forget"];
}

/** Makes the steps `store -> describe`. */
export function createKeeping(options: KeepingOptions): Keeping {
  const { store, toolNames: tools, references, count, now, checkOpen, onKept } = options;
  const repeated = createRepeatedOutputs(store);
  const staysHere = store.bodies === "memory" || store.bodies === "files";

  async function keep(
    call: Call,
    encoded: EncodedOutput,
    verdict: StoreVerdict,
  ): Promise<Kept | undefined> {
    const { output, options, door } = call;
    const { content, scoreRange, bodyBytes, text } = encoded;
    const { describer: _written, recipes: makeRecipes, ...form } = options.describe;
    await pause();
    const profile = content.records && (await profileContent(content));
    const operation = operationOf(output.toolName);
    const detail = detailOf({ operation, args: output.args, profile });
    const { artifact, header } = newArtifact({
      output,
      content,
      bodyBytes,
      bodySha256: staysHere ? undefined : await encoded.digest(),
      header: encoded.header,
      fileName: namedOrUsual(call, options.fileName),
      measurement: encoded.measurement ?? verdict.measurement,
      operation,
      detail,
      schemaVersion: profile && isMemorySet(profile) ? MEMORY_SCHEMA_VERSION : "none",
      recipes: profile ? recipesOrUsual(call, makeRecipes, [content, profile, detail]) : [],
      fields: profile ? fieldNames(profile, content) : [],
      nowMs: now(),
      ttlMs: options.ttlMs,
    });
    const storedArtifact = await store.put(artifact, headed(header, encoded.chunks()));
    try {
      // What a store has finished for many outputs at once is described one in each turn of the event loop.
      await pause();
      const about = { storedArtifact, content, profile, text, scoreRange };
      const input = { ...about, tools, references, count };
      const write = door.describer(options);
      const descriptor = await descriptorOrUsual(call, write, input, form);
      if (await isWorth(verdict, withStandIns(descriptor.text, storedArtifact))) {
        onKept(storedArtifact);
        return { storedArtifact, descriptor };
      }
    } catch (error) {
      await letGo(storedArtifact);
      throw error;
    }
    await letGo(storedArtifact);
    return undefined;
  }

  async function isWorth({ worthTokens }: StoreVerdict, text: string): Promise<boolean> {
    return worthTokens === Infinity || (await count(text)) < worthTokens;
  }

  async function letGo({ id, scope }: StoredArtifact): Promise<void> {
    await store.delete(id, scope).catch(() => false);
  }

  return {
    forget: repeated.forget,
    async storeAndDescribe(call, encoded, verdict) {
      const { output, options } = call;
      checkOpen();
      const { form } = options.describe;
      const life = { ttlMs: options.ttlMs, expiresAt: now() + options.ttlMs };
      const returned = { ...encoded, ...life, output, form };
      return await repeated.reuse(returned, () => keep(call, encoded, verdict));
    },
  };
}

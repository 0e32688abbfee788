import { describeArtifact } from "../describe/describe.js";
import {
  type DescribeOptions,
  type Describer,
  type DescriberInput,
  withSameIds,
} from "../describe/describer.js";
import { fieldNames, profileContent } from "../profile/profile-document.js";
import { detailOf, isMemorySet, MEMORY_SCHEMA_VERSION } from "../describe/recipes/memory.js";
import { recipesFor } from "../describe/recipes/recipes.js";
import { type FailingPlace, namedOrUsual, reportOption } from "./option-faults.js";
import { tokenCounter, type TokenMeasure } from "../measure/measure.js";
import type { OutlineElsewhere } from "../describe/outlines/outline-of.js";
import type { Lifetime } from "../store/lifetime.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import { headed } from "../store/chunks.js";
import { operationOf } from "../store/naming.js";
import { newArtifact } from "../store/new-artifact.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Descriptor, DescriptorPart, DrillInToolNames } from "../types/result.js";
import { pause } from "../../util/pause.js";
import type { Call, EncodedOutput, StoreDecision } from "./call.js";
import type { Kept, RepeatedOutputs } from "./repeated-outputs.js";
import type { Steps } from "./run-pipeline.js";

interface StoreAndDescribeOptions {
  readonly store: ArtifactStore;
  readonly toolNames: DrillInToolNames;
  readonly partsOf: (input: DescriberInput) => readonly DescriptorPart[];
  readonly measure: TokenMeasure;
  readonly outlineElsewhere: OutlineElsewhere;
  readonly now: () => number;
  readonly lifetime: Pick<Lifetime, "checkOpen" | "coming" | "gone">;
  readonly onKept: (artifact: StoredArtifact) => void;
  readonly repeated: RepeatedOutputs;
}

export function createStoreAndDescribe(
  options: StoreAndDescribeOptions,
): Steps["storeAndDescribe"] {
  const { store, toolNames: tools, partsOf, measure, now, lifetime, onKept, repeated } = options;
  const { outlineElsewhere } = options;
  const count = tokenCounter(measure);
  const staysHere = store.bodies !== "remote";

  async function keep(
    call: Call,
    encoded: EncodedOutput,
    decision: StoreDecision,
  ): Promise<Kept | undefined> {
    const { output, sessionKey, options } = call;
    const { content, scoreRange, bodyBytes, text } = encoded;
    const { describer: _written, ...form } = options.describe;
    await pause();
    const profile = content.records && (await profileContent(content));
    const operation = operationOf(output.toolName);
    const detail = detailOf({ operation, args: output.args, profile });
    const { artifact, header } = newArtifact({
      output,
      sessionKey,
      content,
      bodyBytes,
      bodySha256: staysHere ? undefined : await encoded.digest(),
      header: encoded.header,
      fileName: namedOrUsual(call, options.fileName),
      measurement: encoded.measurement ?? decision.measurement,
      operation,
      detail,
      schemaVersion: profile && isMemorySet(profile) ? MEMORY_SCHEMA_VERSION : "none",
      recipes: profile ? recipesFor(content, profile, detail) : [],
      fields: profile ? fieldNames(profile, content) : [],
      nowMs: now(),
      ttlMs: options.ttlMs,
    });
    lifetime.coming(artifact.id);
    try {
      const storedArtifact = await store.put(artifact, headed(header, encoded.chunks()));
      const about = { storedArtifact, content, profile, text, scoreRange };
      const descriptor = await describeOrDelete(call, about, form, decision);
      if (descriptor === undefined) lifetime.gone(artifact.id);
      return descriptor && { storedArtifact, descriptor };
    } catch (error) {
      lifetime.gone(artifact.id);
      throw error;
    }
  }

  /** `undefined` if it saves nothing; the artifact is then deleted. */
  async function describeOrDelete(
    call: Call,
    about: Omit<DescriberInput, "tools" | "parts" | "count">,
    form: DescribeOptions,
    decision: StoreDecision,
  ): Promise<Descriptor | undefined> {
    const { storedArtifact } = about;
    let isKept = false;
    try {
      // A store may finish many outputs at once.
      await pause();
      const write = call.policy.describer(call.options);
      const input = { ...about, tools, count, outlineElsewhere };
      const parts = partsOf(input);
      const descriptor = await descriptorOrUsual(call, write, { ...input, parts }, form);
      isKept = await isWorth(decision, withSameIds(descriptor.text, storedArtifact));
      if (isKept) onKept(storedArtifact);
      return isKept ? descriptor : undefined;
    } finally {
      if (!isKept)
        await store.delete(storedArtifact.id, storedArtifact.sessionKey).catch(() => false);
    }
  }

  async function isWorth({ worthTokens }: StoreDecision, text: string): Promise<boolean> {
    return worthTokens === Infinity || (await count(text)) < worthTokens;
  }

  return async (call, encoded, decision) => {
    const { output, sessionKey, options } = call;
    lifetime.checkOpen();
    const { form, describer } = options.describe;
    // Other describers need descriptors of their own.
    const isOwn = call.policy.describer(options) !== describer;
    const life = { ttlMs: options.ttlMs, expiresAt: now() + options.ttlMs };
    const returned = { ...encoded, ...life, output, sessionKey, form: isOwn ? "own" : form };
    return await repeated.reuse(returned, () => keep(call, encoded, decision));
  };
}

/**
 * The usual form is used without a describer, if it fails, or if only the usual form saves tokens; the last two send
 * an event.
 */
async function descriptorOrUsual(
  place: FailingPlace,
  write: Describer | undefined,
  input: DescriberInput,
  form: DescribeOptions,
): Promise<Descriptor> {
  if (write === undefined) return await describeArtifact(input, form);
  let usual: Descriptor | undefined;
  try {
    const descriptor = await write(input);
    if (!isDescriptor(descriptor)) {
      throw new TypeError("The describer must give { form, text, tokens }.");
    }
    const { tokens } = input.storedArtifact;
    if (descriptor.tokens < tokens) return descriptor;
    usual = await describeArtifact(input, form);
    if (usual.tokens >= tokens) return descriptor;
    throw new RangeError(
      `The describer gave ${descriptor.tokens} tokens for an output of ${tokens}. Give fewer: firstWithin() takes the first text that saves enough.`,
    );
  } catch (error) {
    reportOption(place, "describe.describer", error);
    return usual ?? (await describeArtifact(input, form));
  }
}

function isDescriptor({ form, text, tokens }: Descriptor): boolean {
  return typeof form === "string" && typeof text === "string" && Number.isFinite(tokens);
}

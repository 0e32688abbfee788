import { atOnce } from "../../util/at-once.js";
import { pause } from "../../util/pause.js";
import { sha256Of } from "../content/bytes.js";
import type { Cleaner } from "../content/clean/cleaner.js";
import { describeArtifact } from "../describe/describe.js";
import {
  type DescribeOptions,
  type Describer,
  type DescriberInput,
  withSameIds,
} from "../describe/describer.js";
import type { OutlineElsewhere } from "../describe/outlines/outline-of.js";
import { detailOf, isMemorySet, MEMORY_SCHEMA_VERSION } from "../describe/recipes/memory.js";
import { recipesFor } from "../describe/recipes/recipes.js";
import { tokenCounter, type TokenMeasure } from "../measure/measure.js";
import type { ResolvedToolOptions } from "../options/options.js";
import { fieldNames, profileContent } from "../profile/profile-document.js";
import type { ArtifactStore, NewArtifact } from "../store/artifact-store.js";
import { headed } from "../store/chunks.js";
import { contentAsCame } from "../store/lay-out.js";
import type { Lifetime } from "../store/lifetime.js";
import {
  isArtifactFileName,
  type NameRule,
  operationOf,
  prefixName,
  sessionKeyOf,
} from "../store/naming.js";
import { newArtifact } from "../store/new-artifact.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Content } from "../types/content.js";
import type { Notify, OffloadEvent } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { Descriptor, DescriptorPart, DrillInToolNames } from "../types/result.js";
import type { Call, EncodedOutput, StoreDecision } from "./call.js";
import type { Kept, RepeatedOutputs } from "./repeated-outputs.js";

/** Both or neither; `undefined` if the descriptor saves nothing. @throws Errors of the store. */
export type StoreAndDescribe = (
  call: Call,
  encoded: EncodedOutput,
  decision: Pick<StoreDecision, "measurement" | "worthTokens">,
) => Promise<Kept | undefined>;

/** A result that was inline, which leaves the conversation. */
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

/** Stores it as it came. @throws {@link OffloadError} with code `STORE_WRITE_FAILED`; {@link CleanFault} */
export type KeepResult = (result: InlineResult) => Promise<{
  readonly storedArtifact: StoredArtifact;
  /** The cleaned text. */
  readonly text: string;
  readonly content: Content;
}>;

export interface Storing {
  readonly storeAndDescribe: StoreAndDescribe;
  readonly keepResult: KeepResult;
}

interface StoringParts {
  readonly store: ArtifactStore;
  readonly toolNames: DrillInToolNames;
  readonly partsOf: (input: DescriberInput) => readonly DescriptorPart[];
  readonly measure: TokenMeasure;
  readonly outlineElsewhere: OutlineElsewhere;
  readonly now: () => number;
  readonly lifetime: Pick<Lifetime, "checkOpen" | "coming" | "gone" | "stored">;
  readonly onKept: (artifact: StoredArtifact) => void;
  readonly repeated: RepeatedOutputs;
  readonly optionsOf: (output: ToolOutput) => ResolvedToolOptions;
  readonly cleanerOf: (output: ToolOutput) => Cleaner | undefined;
  readonly notify: Notify;
}

type NewOutput = Omit<
  Parameters<typeof newArtifact>[0],
  "fileName" | "operation" | "nowMs" | "bodySha256"
>;

export function createStoring(parts: StoringParts): Storing {
  const { store, toolNames: tools, measure, now, lifetime, onKept, outlineElsewhere } = parts;
  const count = tokenCounter(measure);

  /** @param finish - Gives `undefined` if nothing is kept. */
  async function put<Finished>(
    place: FailingPlace & { readonly options: ResolvedToolOptions },
    { chunks, digest, ...given }: NewOutput & Pick<EncodedOutput, "chunks" | "digest">,
    also: Partial<NewArtifact>,
    finish: (storedArtifact: StoredArtifact) => Finished | Promise<Finished>,
  ): Promise<Finished> {
    const { artifact, header } = newArtifact({
      ...given,
      fileName: namedOrUsual(place, place.options.fileName),
      operation: operationOf(given.output.toolName),
      bodySha256: store.bodies === "remote" ? await digest() : undefined,
      nowMs: now(),
    });
    const { id } = artifact;
    let finished: Finished | undefined;
    lifetime.coming(id);
    try {
      const storedArtifact = await store.put({ ...artifact, ...also }, headed(header, chunks()));
      finished = await finish(storedArtifact);
      return finished;
    } finally {
      if (finished === undefined) lifetime.gone(id);
    }
  }

  async function keep(
    call: Call,
    encoded: EncodedOutput,
    decision: Parameters<StoreAndDescribe>[2],
  ): Promise<Kept | undefined> {
    const { output, sessionKey, options } = call;
    const { content, scoreRange, text } = encoded;
    await pause();
    const profile = content.records && (await profileContent(content));
    const detail = detailOf({
      operation: operationOf(output.toolName),
      args: output.args,
      profile,
    });
    const given = {
      ...encoded,
      output,
      sessionKey,
      measurement: encoded.measurement ?? decision.measurement,
      detail,
      schemaVersion: profile && isMemorySet(profile) ? MEMORY_SCHEMA_VERSION : "none",
      recipes: profile ? recipesFor(content, profile, detail) : [],
      fields: profile ? fieldNames(profile, content) : [],
      ttlMs: options.ttlMs,
    };
    return await put(call, given, {}, async (storedArtifact) => {
      const about = { storedArtifact, content, profile, text, scoreRange };
      const descriptor = await describeOrDelete(call, about, decision.worthTokens);
      return descriptor && { storedArtifact, descriptor };
    });
  }

  /** `undefined` if it saves nothing; the artifact is then deleted. */
  async function describeOrDelete(
    call: Call,
    about: Omit<DescriberInput, "tools" | "parts" | "count">,
    worthTokens: number,
  ): Promise<Descriptor | undefined> {
    const { storedArtifact } = about;
    let isKept = false;
    try {
      // A store may finish many outputs at once.
      await pause();
      const input = { ...about, tools, count, outlineElsewhere };
      const descriptor = await descriptorOrUsual(call, { ...input, parts: parts.partsOf(input) });
      const shown = withSameIds(descriptor.text, storedArtifact);
      isKept = worthTokens === Infinity || (await count(shown)) < worthTokens;
      if (isKept) onKept(storedArtifact);
      return isKept ? descriptor : undefined;
    } finally {
      if (!isKept)
        await store.delete(storedArtifact.id, storedArtifact.sessionKey).catch(() => false);
    }
  }

  return {
    async storeAndDescribe(call, encoded, decision) {
      const { output, sessionKey, options, describer } = call;
      lifetime.checkOpen();
      // Other describers need descriptors of their own.
      const form = describer === undefined ? options.describe.form : "own";
      const life = { ttlMs: options.ttlMs, expiresAt: now() + options.ttlMs };
      const returned = { ...encoded, ...life, output, sessionKey, form };
      return await parts.repeated.reuse(returned, () => keep(call, encoded, decision));
    },
    async keepResult({ text: came, id, isOnlyCopy, lifeMs = 0, ...about }) {
      // It may have bypassed `clean` before.
      const cleaner = parts.cleanerOf({ ...about, value: came });
      const text = cleaner === undefined ? came : await cleaner.text(came, "output");
      const args =
        about.args && cleaner ? await cleaner.value(about.args, "arguments") : about.args;
      lifetime.checkOpen();
      await pause();
      const output: ToolOutput = { ...about, args, value: text };
      const options = parts.optionsOf(output);
      const content = await contentAsCame(text);
      const given = {
        output,
        sessionKey: sessionKeyOf(output.sessionId),
        id,
        content,
        bodyBytes: content.body.length,
        digest: () => sha256Of(content.body),
        chunks: () => [content.body],
        measurement: { ...(await measure.count(text)), characters: text.length, overLimit: true },
        detail: "full" as const,
        header: false,
        schemaVersion: "none",
        recipes: [],
        fields: [],
        ttlMs: Math.max(options.ttlMs, lifeMs),
      };
      const place = { output, notify: parts.notify, options };
      const also = { wasInline: true, onlyCopy: isOnlyCopy ? true : undefined } as const;
      const storedArtifact = await put(place, given, also, (stored) => stored);
      onKept(storedArtifact);
      await lifetime.stored(storedArtifact, undefined);
      return { storedArtifact, text, content };
    },
  };
}

interface FailingPlace {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId">;
  readonly sessionKey?: string | undefined;
  readonly notify: Notify;
}

function reportOption(
  { output: { toolName, toolCallId }, notify, sessionKey }: FailingPlace,
  option: Extract<OffloadEvent, { readonly type: "option-failed" }>["option"],
  error: unknown,
): void {
  notify({ type: "option-failed", option, toolName, toolCallId, sessionKey, error });
}

function namedOrUsual(place: FailingPlace, rule: NameRule): NameRule {
  return (parts) => {
    try {
      const name: unknown = atOnce("fileName", rule(parts));
      if (typeof name === "string" && isArtifactFileName(name, parts.id)) return name;
      throw new TypeError(
        "`fileName` must give letters, digits, ., _ and - only, and end with the id and an extension.",
      );
    } catch (error) {
      reportOption(place, "fileName", error);
      return prefixName("atlatl")(parts);
    }
  };
}

/**
 * The usual form is used without a describer, if it fails, or if only the usual form saves tokens; the last two send
 * an event.
 */
async function descriptorOrUsual(call: Call, input: DescriberInput): Promise<Descriptor> {
  const { describer: ofOptions, ...form }: DescribeOptions & { readonly describer?: Describer } =
    call.options.describe;
  const write = call.describer ?? ofOptions;
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
    reportOption(call, "describe.describer", error);
    return usual ?? (await describeArtifact(input, form));
  }
}

function isDescriptor({ form, text, tokens }: Descriptor): boolean {
  return typeof form === "string" && typeof text === "string" && Number.isFinite(tokens);
}

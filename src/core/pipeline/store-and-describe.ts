import { pause } from "../../util/pause.js";
import { sha256Of } from "../content/bytes.js";
import { describeArtifact } from "../describe/describe.js";
import { type DescriberInput, withSameIds } from "../describe/describer.js";
import { nextPageOf } from "../describe/next-page.js";
import { detailOf, isMemorySet, MEMORY_SCHEMA_VERSION } from "../describe/recipes/memory.js";
import { recipesFor } from "../describe/recipes/recipes.js";
import { fieldNames, profileContent } from "../profile/profile-document.js";
import type { NewArtifact } from "../store/artifact-store.js";
import { headed } from "../store/chunks.js";
import { contentAsCame } from "../store/lay-out.js";
import { namedOrUsual, operationOf, sessionKeyOf } from "../store/naming.js";
import { newArtifact } from "../store/new-artifact.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { OffloadEvent } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { Descriptor, OffloadedOutput } from "../types/result.js";
import type { Call, EncodedOutput, InlineResult, KeepResult, StoreReason } from "./call.js";
import type { PipelineContext } from "./context.js";
import { decisionByCharacters } from "./decisions.js";
import type { Kept } from "./repeated-outputs.js";

type Place = Pick<Call, "output" | "options" | "notify" | "sessionKey">;

type NewOutput = Pick<EncodedOutput, "chunks" | "digest"> &
  Omit<Parameters<typeof newArtifact>[0], "fileName" | "operation" | "nowMs" | "bodySha256">;

/** Both or neither; `undefined` if the descriptor saves nothing. @throws Errors of the store. */
export async function storeOutput(
  context: PipelineContext,
  call: Call,
  encoded: EncodedOutput,
  decided: StoreReason,
  startedAt: number = performance.now(),
): Promise<OffloadedOutput | undefined> {
  const { output, sessionKey, options, describer } = call;
  context.lifetime.checkOpen();
  // Other describers need descriptors of their own.
  const form = describer === undefined ? options.describe.form : "own";
  const expiresAt = context.options.now() + options.ttlMs;
  const { tokens } = encoded.measurement ?? decided.measurement;
  const returned = {
    ...encoded,
    tokens,
    ttlMs: options.ttlMs,
    expiresAt,
    output,
    sessionKey,
    form,
  };
  const kept = await context.repeated.reuse(returned, () => keep(context, call, encoded, decided));
  if (kept === undefined) return undefined;
  const { storedArtifact, descriptor } = kept;
  const durationMs = performance.now() - startedAt;
  await context.lifetime.stored(storedArtifact, output.turn);
  const byCharacters = decisionByCharacters(decided.measurement, options, "offloaded");
  const { text, tokens: descriptorTokens } = descriptor;
  call.notify(
    {
      type: "offloaded",
      storedArtifact,
      toolCallId: output.toolCallId,
      reason: decided.reason,
      form: descriptor.form,
      descriptorTokens,
      tokensSaved: storedArtifact.tokens - descriptorTokens,
      tokensExact: storedArtifact.tokensExact,
      ...(byCharacters && { byCharacters }),
      durationMs,
    },
    // That of a user's message is mostly the message.
    call.source === "user" ? {} : { descriptor: text },
  );
  return { outcome: "offloaded", text, descriptor, storedArtifact, keptBlocks: [] };
}

async function keep(
  context: PipelineContext,
  call: Call,
  encoded: EncodedOutput,
  { measurement, worthTokens }: StoreReason,
): Promise<Kept | undefined> {
  const { host, count, drillIn } = context;
  const { output, sessionKey, options } = call;
  const { content, scoreRange, text } = encoded;
  await pause();
  const profile = content.records && (await profileContent(content));
  const detail = detailOf({ operation: operationOf(output.toolName), args: output.args, profile });
  const given = {
    ...encoded,
    measurement: encoded.measurement ?? measurement,
    output,
    sessionKey,
    detail,
    ttlMs: options.ttlMs,
    ...(profile && {
      ...(isMemorySet(profile) && { schemaVersion: MEMORY_SCHEMA_VERSION }),
      recipes: recipesFor(content, profile, detail),
      fields: fieldNames(profile, content),
    }),
  };
  const partial = nextPageOf(content, output.toolName).line !== "" || undefined;
  return await put(context, call, given, { partial }, async (storedArtifact) => {
    // A store may finish many outputs at once.
    await pause();
    const input: DescriberInput = {
      storedArtifact,
      content,
      profile,
      text,
      scoreRange,
      count,
      tools: context.options.toolNames,
      outlineElsewhere: (document) => drillIn.context.jq().outline(document),
    };
    const descriptor = await descriptorOrUsual(call, { ...input, parts: host.describe(input) });
    const shown = withSameIds(descriptor.text, storedArtifact);
    const isWorth = worthTokens === undefined || (await count(shown)) < worthTokens;
    return isWorth ? { storedArtifact, descriptor } : undefined;
  });
}

/** @param finish - If it gives `undefined`, or throws, the artifact is deleted again. */
async function put<Finished>(
  { options: { store, now }, optionsOf, lifetime, drillIn }: PipelineContext,
  place: Place,
  { chunks, digest, ...given }: NewOutput,
  also: Partial<NewArtifact>,
  finish: (storedArtifact: StoredArtifact) => Finished | Promise<Finished>,
): Promise<Finished> {
  const { artifact, header } = newArtifact({
    ...given,
    fileName: namedOrUsual(place.options.fileName, (error) => {
      reportOption(place, "fileName", error);
    }),
    operation: operationOf(given.output.toolName),
    bodySha256: store.bodies === "remote" ? await digest() : undefined,
    nowMs: now(),
  });
  const { id } = artifact;
  const lifeMs = given.ttlMs === optionsOf(given.output).ttlMs ? undefined : given.ttlMs;
  let stored: StoredArtifact | undefined;
  let finished: Finished | undefined;
  lifetime.coming(id);
  try {
    stored = await store.put({ ...artifact, lifeMs, ...also }, headed(header, chunks()));
    finished = await finish(stored);
    if (finished === undefined) return finished;
    lifetime.begin(stored.expiresAt);
    drillIn.remember(stored);
    drillIn.warm();
    return finished;
  } finally {
    const isLost = finished === undefined;
    if (isLost && stored) await store.delete(id, stored.sessionKey).catch(() => false);
    if (isLost) lifetime.gone(id);
  }
}

export async function keepResult(
  context: PipelineContext,
  { text: came, id, isOnlyCopy, isClean = false, lifeMs = 0, ...about }: InlineResult,
): ReturnType<KeepResult> {
  const { lifetime, measure, host, notify } = context;
  const cleaner = host.cleanerOf(about);
  // It may have bypassed `clean` before.
  const text = cleaner && !isClean ? await cleaner.text(came, "output") : came;
  const args = about.args && cleaner ? await cleaner.value(about.args, "arguments") : about.args;
  lifetime.checkOpen();
  await pause();
  const output: ToolOutput = { ...about, args, value: text };
  const options = context.optionsOf(output);
  const content = await contentAsCame(text);
  const sessionKey = sessionKeyOf(output.sessionId);
  const given: NewOutput = {
    output,
    sessionKey,
    id,
    content,
    bodyBytes: content.body.length,
    digest: () => sha256Of(content.body),
    chunks: () => [content.body],
    measurement: await measure.count(text),
    ttlMs: Math.max(options.ttlMs, lifeMs),
  };
  const also = { wasInline: true, onlyCopy: isOnlyCopy ? true : undefined } as const;
  const place = { output, notify, options, sessionKey };
  const storedArtifact = await put(context, place, given, also, (stored) => stored);
  await lifetime.stored(storedArtifact, undefined);
  return { storedArtifact, text, content };
}

function reportOption(
  { output: { toolName, toolCallId }, notify, sessionKey }: Place,
  option: Extract<OffloadEvent, { readonly type: "option-failed" }>["option"],
  error: unknown,
): void {
  notify({ type: "option-failed", option, toolName, toolCallId, sessionKey, error });
}

/**
 * The usual form is used without a describer, if it fails, or if only the usual form saves tokens; the last two send
 * an event.
 */
async function descriptorOrUsual(call: Call, input: DescriberInput): Promise<Descriptor> {
  const { describer: ofOptions, ...form } = call.options.describe;
  const write = call.describer ?? ofOptions;
  if (write === undefined) return await describeArtifact(input, form);
  let usual: Descriptor | undefined;
  try {
    const descriptor = await write(input);
    const isWhole = typeof descriptor.form === "string" && typeof descriptor.text === "string";
    if (!isWhole) throw new TypeError("The describer must give { form, text, tokens }.");
    const { tokens } = input.storedArtifact;
    // Files are stored for their bytes.
    if (descriptor.tokens < tokens || descriptor.form === "media") return descriptor;
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

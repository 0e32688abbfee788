import { cleanBeside, cleanValue, mayBeFile } from "../content/clean/clean-output.js";
import { CleanFault, type Cleaner, withheldSentence } from "../content/clean/cleaner.js";
import { StreamFault } from "../content/stream/held-stream.js";
import { jsonOf } from "../content/value/any-json.js";
import { createTurns, type Turns } from "../decide/turn/turn-barrier.js";
import type { TokenMeasure } from "../measure/measure.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import { ownToolNames } from "../options/tools.js";
import type { CoreApi, PluginHost } from "../plugin-host/plugin-host.js";
import { sessionKeyOf } from "../store/naming.js";
import { OffloadError } from "../types/errors.js";
import { emit, type Notify, type OffloadListener } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { OutputCall, OutputSource } from "../types/plugin.js";
import type { OffloadedOutput, OffloadResult } from "../types/result.js";
import type { RunningCall } from "../types/running-call.js";
import type { Call, SourcePolicy, StoreDecision } from "./call.js";
import { createSourcePolicies } from "./source-policies.js";
import type { Offloader } from "./offloader.js";
import { checkPut } from "./put-options.js";
import { inlineResult } from "./inline.js";
import type { Listeners } from "./observe/listeners.js";
import { createRecoveries } from "./recover.js";
import { createSteps, type StoredParts } from "./steps.js";
import { runPipeline } from "./run-pipeline.js";

interface PipelineParts {
  readonly options: ResolvedOffloadOptions;
  readonly host: PluginHost;
  readonly measure: TokenMeasure;
  readonly listeners: Listeners;
  readonly optionsOf: (output: ToolOutput) => Call["options"];
  readonly stored: StoredParts;
}

export interface Pipeline extends Pick<Offloader, "offload" | "offloadAll" | "put"> {
  readonly turns: Turns;
  /** @throws Errors of a rule. */
  readonly admits: (output: ToolOutput) => boolean;
  readonly keepMade: (made: MadeOutput, call: RunningCall) => Promise<OffloadedOutput>;
  readonly offloadUser: CoreApi["offloadUser"];
  readonly storeEncoded: CoreApi["storeEncoded"];
}

type MadeOutput = Pick<ToolOutput, "value" | "title" | "derivedFrom">;

export function createPipeline(parts: PipelineParts): Pipeline {
  const { options, host, measure, listeners, optionsOf, stored } = parts;
  const { notify: tellAll, stats } = listeners;
  const turns = createTurns();
  const ownTools: ReadonlySet<string> = new Set(ownToolNames(options));
  const recoveries = createRecoveries({ measure, storeName: options.store.name });
  const policies = createSourcePolicies(options, measure, recoveries);
  const steps = createSteps(options, measure, stored, stats.countOutput);

  const isMet = [host.clean, host.wrapOutput, host.onOutput].some((hook) => hook !== undefined);

  function run(
    call: Call,
    source: OutputSource,
    isIn = true,
  ): OffloadResult | Promise<OffloadResult> {
    return isMet ? runWithPlugins(call, source, isIn) : inner(call, isIn);
  }

  async function runWithPlugins(
    call: Call,
    source: OutputSource,
    isIn: boolean,
  ): Promise<OffloadResult> {
    const cleaner = host.cleanerOf(call.output);
    const result = cleaner
      ? await cleanedRun(call, cleaner, (given) => wrapped(given, source, isIn, cleaner))
      : await wrapped(call, source, isIn);
    host.onOutput?.(outputCallOf(call, source), result);
    return result;
  }

  async function wrapped(
    call: Call,
    source: OutputSource,
    isIn: boolean,
    cleaner?: Cleaner,
  ): Promise<OffloadResult> {
    const pipeline = async ({ output }: OutputCall | Call): Promise<OffloadResult> => {
      const own = output === call.output ? call : { ...call, output };
      if (cleaner === undefined || !mayBeFile(output.value)) return await inner(own, isIn);
      // No plug-in took it as a file.
      return await cleanedValueRun(own, cleaner, (given) => inner(given, isIn));
    };
    // Plug-ins have seen what it is made of.
    return isIn && source !== "derived" && host.wrapOutput !== undefined
      ? await host.wrapOutput(outputCallOf(call, source), pipeline)
      : await pipeline(call);
  }

  function inner(call: Call, isIn: boolean): OffloadResult | Promise<OffloadResult> {
    return isIn ? runPipeline(call, steps) : inlineResult(call.output, {});
  }

  function callOf(output: ToolOutput, policy: SourcePolicy, onEvent?: OffloadListener): Call {
    const options = optionsOf(output);
    const sessionKey = sessionKeyOf(output.sessionId);
    return { output, options, policy, notify: alsoTelling(tellAll, onEvent), onEvent, sessionKey };
  }

  const offload: Offloader["offload"] = (output, onEvent) => enter(output, "tool", onEvent);

  async function enter(
    output: ToolOutput,
    source: OutputSource,
    onEvent: OffloadListener | undefined,
    ownPolicy?: SourcePolicy,
  ): Promise<OffloadResult> {
    // Untyped callers may pass anything.
    if (typeof output !== "object" || output === null) return { outcome: "inline", value: output };
    try {
      if (ownTools.has(output.toolName)) return { outcome: "inline", value: output.value };
      const policy = ownPolicy ?? (output.always ? policies.toolValue : policies.toolResult);
      const call = callOf(output, policy, onEvent);
      const isIn = policy.admits(output, call.options);
      const result =
        isIn || host.clean !== undefined || host.onOutput !== undefined
          ? await run(call, source, isIn)
          : { outcome: "inline" as const, value: output.value };
      output.slot?.end(true);
      return result;
    } catch (error) {
      if (error instanceof StreamFault) throw error.thrown;
      return await passedOn(error, output, alsoTelling(tellAll, onEvent));
    }
  }

  /** Never shows uncleaned output. */
  async function passedOn(
    error: unknown,
    output: ToolOutput,
    notify: Notify,
  ): Promise<OffloadResult> {
    const result = recoveries.passOn(error, output, notify);
    if (host.clean === undefined) return result;
    return {
      outcome: "inline",
      value: withheldSentence(output.toolName),
      artifact: undefined,
    };
  }

  return {
    turns,
    admits: (output) => policies.toolResult.admits(output, optionsOf(output)),
    offload,
    async offloadUser({ describer, onEvent, ...message }) {
      const policy = policies.userMessage(describer);
      return await enter({ ...message, unwrapped: true }, "user", onEvent, policy);
    },
    async offloadAll(outputs, onEvent) {
      const turn = {};
      const turnCalls = outputs.length;
      const results = await Promise.allSettled(
        outputs.map(async (output, position) => {
          if (typeof output !== "object" || output === null) return await offload(output, onEvent);
          const place = {
            callId: String(position),
            position,
            calls: turnCalls,
            signal: output.signal,
          };
          const slot = turns.join(turn, place);
          try {
            return await offload({ ...output, turnCalls, slot }, onEvent);
          } finally {
            slot?.end(false);
          }
        }),
      );
      return results.map((result) =>
        result.status === "fulfilled" ? result.value : { outcome: "failed", error: result.reason },
      );
    },
    async put(value, given) {
      checkPut(given);
      const { ttlMs, form, sessionId, title, turn, signal, tags, toolName = "put" } = given;
      const overrides = form === undefined ? undefined : { form };
      const output = { toolName, value, sessionId, title, turn, signal, tags, overrides };
      const call = callOf(output, policies.put);
      const own = { ...call.options, ...(ttlMs !== undefined && { ttlMs }) };
      const result = await settled(run({ ...call, options: own }, "put"));
      if (result.outcome === "offloaded") return result;
      const refusal = result.outcome === "inline" ? result.value : result.text;
      if (host.wrapOutput !== undefined && typeof refusal === "string" && refusal !== value)
        throw new OffloadError(
          "STORE_WRITE_FAILED",
          `A plug-in did not let it be stored: ${refusal}`,
        );
      throw new OffloadError(
        "INVALID_ARGUMENTS",
        "This value has no text to store. Put text, JSON, content blocks with text, or a stream of these.",
      );
    },
    async keepMade(made, running) {
      const { sessionKey, toolName = "", toolCallId, args, turn, signal, onEvent } = running;
      // A drill-in knows its session only by the session key.
      const about = { toolName, toolCallId, args, turn, signal, sessionId: sessionKey };
      const output: ToolOutput = { ...made, ...about, unwrapped: true };
      const call = { ...callOf(output, policies.put, onEvent), sessionKey };
      const result = await settled(run(call, "derived"));
      if (result.outcome === "offloaded") return result;
      throw new OffloadError("STORE_WRITE_FAILED", "What was made has no text to store.");
    },
    async storeEncoded({ output, call: running }, encoded, { describer, measurement, reason }) {
      const startedAt = performance.now();
      const policy = { ...policies.put, describer: () => describer };
      const call = callOf(output, policy, running.onEvent);
      const decision: StoreDecision = {
        action: "store",
        measurement,
        reason,
        worthTokens: Infinity,
        limitsIfLost: () => Promise.resolve({ tokens: undefined, bytes: undefined }),
      };
      const kept = await steps.storeAndDescribe(call, encoded, decision);
      if (kept === undefined) return undefined;
      const durationMs = performance.now() - startedAt;
      const done = { kept, decision, durationMs };
      const result = await steps.offloaded(call, { keptBlocks: [] }, done);
      return result.outcome === "offloaded" ? result : undefined;
    },
  };
}

function alsoTelling(notify: Notify, onEvent: OffloadListener | undefined): Notify {
  if (onEvent === undefined) return notify;
  return (event, detail) => {
    notify(event, detail);
    emit(onEvent, event);
  };
}

/** @throws The error of the tool's own stream, or the given one. */
async function settled(result: OffloadResult | Promise<OffloadResult>): Promise<OffloadResult> {
  try {
    return await result;
  } catch (error) {
    throw error instanceof StreamFault ? error.thrown : error;
  }
}

function outputCallOf(call: Call, source: OutputSource): OutputCall {
  const { output, sessionKey, onEvent } = call;
  const { sessionId, toolName, toolCallId, args, signal, conversation } = output;
  const { overrides, metadata, turn, turnCalls, slot } = output;
  const about = { sessionId, sessionKey, toolName, toolCallId, args, signal, conversation };
  return {
    output,
    source,
    call: { ...about, overrides, metadata, turn, turnCalls, slot, onEvent },
  };
}

/** A possible file is not cleaned yet. If cleaning fails, a sentence replaces the output. */
async function cleanedRun(
  given: Call,
  cleaner: Cleaner,
  next: (call: Call) => Promise<OffloadResult>,
): Promise<OffloadResult> {
  const { artifact: came, value } = given.output;
  try {
    const output = await cleanBeside(given.output, cleaner);
    const call = { ...given, output, options: withCleanSet(given.options, cleaner) };
    const result = mayBeFile(value) ? await next(call) : await cleanedValueRun(call, cleaner, next);
    return output.artifact === came || "artifact" in result
      ? result
      : { ...result, artifact: output.artifact };
  } catch (error) {
    const fault = error instanceof StreamFault ? error.thrown : error;
    if (fault instanceof CleanFault) return await withheld(given, fault);
    // A fault of the tool, or one for the caller of `put`.
    if (error instanceof StreamFault || OffloadError.isInstance(error)) throw error;
    return await withheld(given, new CleanFault(error));
  }
}

async function cleanedValueRun(
  call: Call,
  cleaner: Cleaner,
  next: (call: Call) => OffloadResult | Promise<OffloadResult>,
): Promise<OffloadResult> {
  return await next({ ...call, output: await cleanValue(call.output, cleaner) });
}

function withCleanSet(options: Call["options"], cleaner: Cleaner): Call["options"] {
  const { selectResultSet } = options;
  if (selectResultSet === undefined) return options;
  return {
    ...options,
    async selectResultSet(output) {
      const json = jsonOf(await selectResultSet(output));
      return json === undefined ? undefined : await cleaner.text(json, "output");
    },
  };
}

async function withheld(call: Call, { cause }: CleanFault): Promise<OffloadResult> {
  const { toolName } = call.output;
  const value = withheldSentence(toolName);
  const output = { ...call.output, value, unwrapped: true as const, artifact: undefined };
  const so = { payload: undefined, decision: undefined, encoded: undefined };
  // An error of `clean` may contain the text.
  const error = new OffloadError(
    "REDACT_FAILED",
    `The output of ${toolName} is not stored, since it could not be cleaned: \`clean\` has to give a text, in time. The cause says why.`,
    { cause },
  );
  const result = await call.policy.recover(error, { call: { ...call, output }, ...so });
  return { ...result, ...(result.outcome === "inline" && { text: value }), artifact: undefined };
}

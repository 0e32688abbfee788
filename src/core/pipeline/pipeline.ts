import { cleanBeside, cleanValue, mayBeFile } from "../clean/clean-output.js";
import { CleanFault, type Cleaner, withheldSentence } from "../clean/cleaner.js";
import { StreamFault } from "../content/stream/held-stream.js";
import { unwrapOutput } from "../content/unwrap.js";
import { createTurns, type Turns } from "../decide/turn/turn-barrier.js";
import { ownToolNames } from "../options/tools.js";
import type { CoreApi } from "../plugin-host/plugin-host.js";
import { sessionKeyOf } from "../store/naming.js";
import { OffloadError } from "../types/errors.js";
import { emit, type Notify, type OffloadListener } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { OutputCall } from "../types/plugin.js";
import type { OffloadResult } from "../types/result.js";
import type { Call } from "./call.js";
import type { PipelineContext } from "./context.js";
import { isAdmitted } from "./decisions.js";
import { inlineResult } from "./inline.js";
import type { Offloader } from "./offloader.js";
import { checkPut } from "./put-options.js";
import { runPipeline, storeOutput } from "./run-pipeline.js";
import { passOn, recover } from "./shorten.js";

export interface Pipeline extends Pick<Offloader, "offload" | "offloadAll" | "put"> {
  readonly turns: Turns;
  /** @throws Errors of a rule. */
  readonly admits: (output: ToolOutput) => boolean;
  readonly keepMade: CoreApi["put"];
  readonly offloadUser: CoreApi["offloadUser"];
  readonly storeEncoded: CoreApi["storeEncoded"];
}

export function createPipeline(context: PipelineContext): Pipeline {
  const { options, host, notify, optionsOf } = context;
  const turns = createTurns();
  const ownTools: ReadonlySet<string> = new Set(ownToolNames(options));
  const isMet = [host.clean, host.wrapOutput, host.onOutput].some((hook) => hook !== undefined);

  function run(call: Call): OffloadResult | Promise<OffloadResult> {
    return isMet ? runWithPlugins(call) : inner(call);
  }

  function inner(call: Call): OffloadResult | Promise<OffloadResult> {
    return call.isIn ? runPipeline(context, call) : inlineResult(call.output, {});
  }

  async function runWithPlugins(call: Call): Promise<OffloadResult> {
    const cleaner = host.cleanerOf(call.output);
    const result = cleaner ? await cleanedRun(call, cleaner) : await wrapped(call);
    host.onOutput?.(outputCallOf(call), result);
    return result;
  }

  async function wrapped(call: Call, cleaner?: Cleaner): Promise<OffloadResult> {
    const pipeline = async ({ output }: Pick<OutputCall, "output">): Promise<OffloadResult> => {
      // No plugin took it as a file.
      const isUnclean = cleaner !== undefined && mayBeFile(output.value);
      const given = isUnclean ? await cleanValue(output, cleaner) : output;
      return await inner(given === call.output ? call : { ...call, output: given });
    };
    // Plugins have seen what a derived output is made of.
    return call.isIn && call.source !== "derived" && host.wrapOutput !== undefined
      ? await host.wrapOutput(outputCallOf(call), pipeline)
      : await pipeline(call);
  }

  /** A possible file is not cleaned yet. If cleaning fails, a sentence replaces the output. */
  async function cleanedRun(given: Call, cleaner: Cleaner): Promise<OffloadResult> {
    const { artifact: came, value } = given.output;
    try {
      const beside = await cleanBeside(given.output, cleaner);
      const output = mayBeFile(value) ? beside : await cleanValue(beside, cleaner);
      const options = withCleanSet(given.options, cleaner);
      const result = await wrapped({ ...given, output, options }, cleaner);
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

  async function withheld(call: Call, { cause }: CleanFault): Promise<OffloadResult> {
    const { toolName } = call.output;
    const value = withheldSentence(toolName);
    const output = { ...call.output, value, unwrapped: true as const, artifact: undefined };
    // An error of `clean` may contain the text.
    const error = new OffloadError(
      "REDACT_FAILED",
      `The output of ${toolName} is not stored, because it could not be cleaned. See the cause.`,
      { cause },
    );
    const result = await recover(context, error, { ...call, output }, {});
    return { ...result, ...(result.outcome === "inline" && { text: value }), artifact: undefined };
  }

  function callOf(
    output: ToolOutput,
    source: Call["source"],
    { describer, onEvent }: Pick<Call, "describer" | "onEvent"> = {},
  ): Call {
    // A spread here took ten times as long as the rest of a small output.
    return {
      output,
      source,
      describer,
      onEvent,
      isIn: true,
      isLimited: source === "user" || (source === "tool" && output.always !== true),
      options: optionsOf(output),
      notify: alsoTelling(notify, onEvent),
      sessionKey: sessionKeyOf(output.sessionId),
    };
  }

  /** A rule that throws leaves the output out, and is reported. */
  function admits(call: Call): boolean {
    try {
      return isAdmitted(call, options);
    } catch (error) {
      passOn(context, error, call.output, call.notify);
      return false;
    }
  }

  async function enter(
    output: ToolOutput,
    source: Call["source"],
    given: Pick<Call, "describer" | "onEvent">,
  ): Promise<OffloadResult> {
    // Untyped callers may pass anything.
    if (typeof output !== "object" || output === null) return { outcome: "inline", value: output };
    try {
      if (ownTools.has(output.toolName)) return { outcome: "inline", value: output.value };
      const call = callOf(output, source, given);
      const isIn = admits(call);
      const result =
        isIn || host.clean !== undefined || host.onOutput !== undefined
          ? await run(isIn ? call : { ...call, isIn })
          : { outcome: "inline" as const, value: output.value };
      output.slot?.end(true);
      return result;
    } catch (error) {
      if (error instanceof StreamFault) throw error.thrown;
      const result = passOn(context, error, output, alsoTelling(notify, given.onEvent));
      if (host.clean === undefined) return result;
      // Never shows uncleaned output.
      const value = withheldSentence(output.toolName);
      return { outcome: "inline", value, artifact: undefined };
    }
  }

  const offload: Offloader["offload"] = (output, onEvent) => enter(output, "tool", { onEvent });

  return {
    turns,
    admits: (output) => isAdmitted(callOf(output, "tool"), options),
    offload,
    offloadUser: ({ describer, onEvent, ...message }) =>
      enter({ ...message, unwrapped: true }, "user", { describer, onEvent }),
    async offloadAll(outputs, onEvent) {
      const turn = {};
      const calls = outputs.length;
      const results = await Promise.allSettled(
        outputs.map(async (output, position) => {
          if (typeof output !== "object" || output === null) return await offload(output, onEvent);
          const { signal } = output;
          const slot = turns.join(turn, { callId: String(position), position, calls, signal });
          try {
            return await offload({ ...output, turnCalls: calls, slot }, onEvent);
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
      const call = callOf(output, "put");
      const own = { ...call.options, ...(ttlMs !== undefined && { ttlMs }) };
      const result = await settled(run({ ...call, options: own }));
      if (result.outcome === "offloaded") return result;
      const refusal = result.outcome === "inline" ? result.value : result.text;
      if (host.wrapOutput !== undefined && typeof refusal === "string" && refusal !== value)
        throw new OffloadError(
          "STORE_WRITE_FAILED",
          `A plugin did not let it be stored: ${refusal}`,
        );
      throw new OffloadError(
        "INVALID_ARGUMENTS",
        "This value has no text to store. Put text, JSON, content blocks with text, or a stream of these.",
      );
    },
    async keepMade(value, { call: running, ...made }) {
      const { sessionKey, toolCallId, args, turn, signal, onEvent } = running;
      // A drill-in knows its session only by the session key.
      const about = { toolCallId, args, turn, signal, sessionId: sessionKey };
      const output: ToolOutput = { value, ...made, ...about, unwrapped: true };
      const call = { ...callOf(output, "derived", { onEvent }), sessionKey };
      const result = await settled(run(call));
      if (result.outcome === "offloaded") return result;
      throw new OffloadError("STORE_WRITE_FAILED", "This value has no text to store.");
    },
    async storeEncoded({ output, call: { onEvent } }, encoded, { describer, ...about }) {
      const call = callOf(output, "put", { describer, onEvent });
      const decision = { ...about, worthTokens: Infinity };
      const startedAt = performance.now();
      return await storeOutput(context, call, encoded, decision, { startedAt, keptBlocks: [] });
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

function outputCallOf({ output, source, sessionKey, onEvent }: Call): OutputCall {
  const { value: _value, artifact: _artifact, ...about } = output;
  return { output, source, call: { ...about, sessionKey, onEvent } };
}

function withCleanSet(options: Call["options"], cleaner: Cleaner): Call["options"] {
  const { selectResultSet } = options;
  if (selectResultSet === undefined) return options;
  return {
    ...options,
    async selectResultSet(output) {
      const { text } = unwrapOutput({ value: await selectResultSet(output) });
      return text === undefined ? undefined : await cleaner.text(text, "output");
    },
  };
}

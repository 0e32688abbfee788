import { randomUUID } from "node:crypto";

import { cleanBeside, cleanValue, mayBeFile } from "../clean/clean-output.js";
import { CleanFault, type Cleaner, withheldSentence } from "../clean/cleaner.js";
import { StreamFault } from "../content/stream/held-stream.js";
import { createTurns } from "../decide/turn/turn-barrier.js";
import { ownToolNames } from "../options/tools.js";
import type { CoreApi } from "../plugin-host/plugin-host.js";
import { sessionKeyOf } from "../store/naming.js";
import { OffloadError } from "../types/errors.js";
import { emit, type Notify, type OffloadListener } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { OutputCall, OutputSource } from "../types/plugin.js";
import type { OffloadResult } from "../types/result.js";
import type { Call } from "./call.js";
import type { PipelineContext } from "./context.js";
import { isAdmitted } from "./decisions.js";
import { inlineResult, resultText } from "./inline.js";
import type { Internals, Offloader } from "./offloader.js";
import { checkPut } from "./put-options.js";
import { runPipeline } from "./run-pipeline.js";
import { report, storeError } from "./shorten.js";

interface Pipeline
  extends
    Pick<Offloader, "offload" | "offloadAll" | "put">,
    Pick<Internals, "turns" | "admits">,
    Pick<CoreApi, "offloadUser" | "storeEncoded"> {
  readonly keepMade: CoreApi["put"];
}

/** What differs from a tool's output. */
type Given = Pick<Call, "describer" | "onEvent"> & {
  readonly sessionKey?: string;
  readonly own?: Partial<Call["options"]> | undefined;
};

export function createPipeline(context: PipelineContext): Pipeline {
  const { options, host, notify, optionsOf } = context;
  const turns = createTurns();
  const ownTools: ReadonlySet<string> = new Set(ownToolNames(options));
  const isWatched = host.clean !== undefined || host.onOutput !== undefined;

  /** @throws Errors of the tool's own stream; {@link OffloadError} for what code stores. */
  async function enter(
    output: ToolOutput,
    source: OutputSource,
    given: Given,
  ): Promise<OffloadResult> {
    let call: Call | undefined;
    let result: OffloadResult;
    try {
      call = callOf(output, source, given);
      const isIn = admits(call);
      result = isIn || isWatched ? await cleaned(call, isIn) : inlineResult(output, {});
      output.slot?.end(true);
    } catch (error) {
      if (error instanceof StreamFault && !(error.thrown instanceof CleanFault)) throw error.thrown;
      result = instead(error, output, source, call);
    }
    if (call) host.onOutput?.(outputCallOf(call), result);
    return result;
  }

  /** Cleans the output before anything else sees it. A possible file is cleaned if no plugin takes it. */
  async function cleaned(given: Call, isIn: boolean): Promise<OffloadResult> {
    const cleaner = host.cleanerOf(given.output);
    if (cleaner === undefined) return await wrapped(given, isIn);
    const { value, artifact: came } = given.output;
    const beside = await cleanBeside(given.output, cleaner);
    const output = mayBeFile(value) ? beside : await cleanValue(beside, cleaner);
    const call = { ...given, output, options: withCleanSet(given.options, cleaner) };
    const result = await wrapped(call, isIn, cleaner);
    const { artifact } = output;
    return artifact === came || "artifact" in result ? result : { ...result, artifact };
  }

  async function wrapped(call: Call, isIn: boolean, cleaner?: Cleaner): Promise<OffloadResult> {
    const pipeline = async ({
      output: left,
    }: Pick<OutputCall, "output">): Promise<OffloadResult> => {
      const output = cleaner && mayBeFile(left.value) ? await cleanValue(left, cleaner) : left;
      if (!isIn) return inlineResult(output, {});
      return await runPipeline(context, output === call.output ? call : { ...call, output });
    };
    // Plugins have seen what a derived output is made of.
    return isIn && call.source !== "derived" && host.wrapOutput !== undefined
      ? await host.wrapOutput(outputCallOf(call), pipeline)
      : await pipeline(call);
  }

  /** What stands in for an output after a fault. Never shows uncleaned output. */
  function instead(
    error: unknown,
    output: ToolOutput,
    source: OutputSource,
    call: Call | undefined,
  ): OffloadResult {
    const { toolName } = output;
    const fault = error instanceof StreamFault ? error.thrown : error;
    const told =
      fault instanceof CleanFault
        ? new OffloadError(
            "REDACT_FAILED",
            `The output of ${toolName} is not stored, because it could not be cleaned. See the cause.`,
            { cause: fault.cause },
          )
        : fault;
    const isOfCode = source === "put" || source === "derived";
    report(context, call ?? { output, notify }, told, isOfCode ? "rejected" : "inline");
    if (isOfCode) throw storeError(told);
    if (host.clean === undefined) return { outcome: "inline", value: output.value };
    const sentence = withheldSentence(toolName);
    return { outcome: "inline", value: sentence, text: sentence, artifact: undefined };
  }

  function callOf(output: ToolOutput, source: OutputSource, given: Given = {}): Call {
    const { describer, onEvent, own, sessionKey } = given;
    const options = optionsOf(output);
    // A spread here took ten times as long as the rest of a small output.
    return {
      output,
      source,
      describer,
      onEvent,
      isLimited: source === "user" || (source === "tool" && output.always !== true),
      options: own === undefined ? options : { ...options, ...own },
      notify: alsoTelling(notify, onEvent),
      sessionKey: sessionKey ?? sessionKeyOf(output.sessionId),
    };
  }

  /** A rule that throws leaves the output out, and is reported. */
  function admits(call: Call): boolean {
    try {
      return isAdmitted(call, options);
    } catch (error) {
      report(context, call, error, "inline");
      return false;
    }
  }

  const offload: Offloader["offload"] = async (output, onEvent) =>
    ownTools.has(output.toolName)
      ? inlineResult(output, {})
      : await enter(output, "tool", { onEvent });

  return {
    turns,
    admits(output) {
      try {
        return isAdmitted(callOf(output, "tool"), options);
      } catch {
        return false;
      }
    },
    offload,
    offloadUser: ({ describer, onEvent, ...message }) =>
      enter(message, "user", { describer, onEvent }),
    async offloadAll(outputs, onEvent) {
      const turn = randomUUID();
      const calls = outputs.length;
      const results = await Promise.allSettled(
        outputs.map(async (output, position) => {
          const { signal } = output;
          const slot = turns.join(turn, { callId: String(position), position, calls, signal });
          try {
            return await offload({ turn, ...output, turnCalls: calls, slot }, onEvent);
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
      const { ttlMs, form, toolName = "put", ...about } = given;
      const overrides = form === undefined ? undefined : { form };
      const result = await enter({ ...about, toolName, value, overrides }, "put", {
        own: ttlMs === undefined ? undefined : { ttlMs },
      });
      if (result.outcome === "offloaded") return result;
      const refusal = resultText(result);
      if (host.wrapOutput !== undefined && refusal !== value)
        throw new OffloadError(
          "STORE_WRITE_FAILED",
          `A plugin did not let it be stored: ${refusal}`,
        );
      throw new OffloadError(
        "INVALID_ARGUMENTS",
        "This value has no text to store. Put text, JSON, content blocks with text, or a stream of these.",
      );
    },
    async keepMade(value, { call: running, fileFormat, ...made }) {
      const { sessionKey, toolCallId, args, turn, signal, onEvent } = running;
      // A drill-in knows its session only by the session key.
      const about = { toolCallId, args, turn, signal, sessionId: sessionKey };
      const output: ToolOutput = { value, ...made, ...about, keptBlocks: [] };
      const result = await enter(output, "derived", {
        onEvent,
        sessionKey,
        own: fileFormat && { fileFormat },
      });
      if (result.outcome === "offloaded") return result;
      throw new OffloadError("STORE_WRITE_FAILED", "This value has no text to store.");
    },
    async storeEncoded({ output, call: { onEvent } }, encoded, { describer, ...about }) {
      const call = callOf(output, "put", { describer, onEvent });
      const { storeOutput } = await import("./store-and-describe.js");
      return await storeOutput(context, call, encoded, about);
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
      const value = await selectResultSet(output);
      return (await cleanValue({ ...output, value, redacted: undefined }, cleaner)).value;
    },
  };
}

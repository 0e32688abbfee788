import { codeTool, startCode } from "../../plugins/code/code.js";
import { createDrillIn } from "../../core/drill-in/drill-in.js";
import { findInstalled } from "../../core/engines/find-package.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../core/engines/limits.js";
import { resolveSql } from "../../core/engines/sql/start.js";
import { createMeasure } from "../../core/measure/measure.js";
import { defaultName } from "../../core/options/tools.js";
import { isRecord } from "../../util/is-record.js";
import { HttpFault } from "../server/http-fault.js";
import type { AskAnswer, AskRequest, AskTool } from "../wire.js";
import type { Catalogue } from "./catalogue.js";

/** Asks outputs as a model does. */
export interface Asking {
  readonly tools: readonly AskTool[];
  /** What a model would get for a call; rejects with the signal's reason. */
  ask(id: string, request: AskRequest, signal: AbortSignal): Promise<AskAnswer>;
  /** Ends what runs. */
  close(): Promise<void>;
}

/** Drill-ins over the outputs of a catalogue, with the limits and the words of an agent's tools. */
export function createAsking({ store, find }: Catalogue, now: () => number): Asking {
  const measure = createMeasure();
  const limits = DEFAULT_DRILL_IN_LIMITS;
  const sql = resolveSql("auto");
  const code = findInstalled("quickjs-wasi") === undefined ? undefined : startCode(limits);
  const tools = [
    ...(["jq", "grep"] as const),
    ...(sql === undefined ? [] : ["sql" as const]),
    ...(code === undefined ? [] : ["code" as const]),
    "read" as const,
  ];
  const names = Object.fromEntries(tools.map((key) => [key, defaultName({ key })]));
  const drillIn = createDrillIn({
    store,
    measure,
    limits,
    sql,
    tools: code && [codeTool(code.engine)],
    names,
    now,
  });
  return {
    tools,
    async ask(id, { tool, args }, signal) {
      const { scope } = await find(id);
      const given = tool === "code" ? args : { id, ...args };
      const call = JSON.stringify({ name: names[tool], args: given });
      const startedAt = performance.now();
      const { text, failed, tokens } = await drillIn.run(tool, given, { scope, signal });
      const durationMs = performance.now() - startedAt;
      const { tokens: callTokens } = await measure.count(call);
      return { text, failed, callTokens, answerTokens: tokens, durationMs };
    },
    close: async () => {
      await Promise.all([drillIn.close(), code?.close()]);
    },
  };
}

/**
 * What the page asks.
 *
 * @throws {@link HttpFault} for a tool that is not there, and for arguments that are none.
 */
export function askRequestOf(
  body: Readonly<Record<string, unknown>>,
  tools: readonly AskTool[],
): AskRequest {
  const tool = tools.find((one) => one === body["tool"]);
  const { args } = body;
  if (tool !== undefined && isRecord(args)) return { tool, args };
  throw new HttpFault(400, `A call has a tool (${tools.join(", ")}) and args.`);
}

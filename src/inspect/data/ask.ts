import * as z from "zod";

import { createDrillIn } from "../../core/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../core/engines/limits.js";
import { resolveSql } from "../../core/engines/sql/start.js";
import { createMeasure } from "../../core/measure/measure.js";
import { defaultName } from "../../core/options/tools.js";
import type { AskAnswer, AskTool } from "../wire.js";
import type { Catalogue } from "./catalogue.js";

interface AskRequest {
  readonly tool: AskTool;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Asking {
  readonly tools: readonly AskTool[];
  readonly request: z.ZodType<AskRequest>;
  ask(id: string, request: AskRequest, signal: AbortSignal): Promise<AskAnswer>;
  close(): Promise<void>;
}

export function createAsking({ store, find }: Catalogue, now: () => number): Asking {
  const measure = createMeasure();
  const limits = DEFAULT_DRILL_IN_LIMITS;
  const sql = resolveSql("auto");
  const tools = [...(["jq", "grep"] as const), ...(sql ? (["sql"] as const) : [])];
  const names = Object.fromEntries(tools.map((key) => [key, defaultName({ key })]));
  const drillIn = createDrillIn({ store, measure, limits, sql, names, now });
  return {
    tools,
    request: z.object({ tool: z.enum(tools), args: z.record(z.string(), z.unknown()) }),
    async ask(id, { tool, args }, signal) {
      const { sessionKey } = await find(id);
      const { text, tokens } = await drillIn.run(tool, { id, ...args }, { sessionKey, signal });
      return { text, answerTokens: tokens };
    },
    close: () => drillIn.close(),
  };
}

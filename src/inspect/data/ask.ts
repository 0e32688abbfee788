import { codeEngine } from "../../plugins/code/engine.js";
import { createDrillIn, type OwnDrillIn } from "../../core/drill-in/drill-in.js";
import { findInstalled } from "../../core/engines/find-package.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../core/engines/limits.js";
import { resolveSql } from "../../core/engines/sql/start.js";
import { createMeasure } from "../../core/measure/measure.js";
import { DEFAULT_TOOL_NAMES } from "../../core/options/tools.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
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

/** Drill-ins over the outputs of one folder, which have engines of their own. */
interface Opened {
  readonly drillIn: OwnDrillIn;
  /** Questions that go on. */
  questions: number;
}

/** Drill-ins over the outputs of a catalogue, with the limits and the words of an agent's tools. */
export function createAsking(catalogue: Catalogue, now: () => number): Asking {
  const measure = createMeasure();
  const sql = resolveSql("auto");
  const code = findInstalled("quickjs-wasi") === undefined ? undefined : codeEngine();
  const { read, grep, jq } = DEFAULT_TOOL_NAMES;
  const names = {
    read,
    grep,
    jq,
    ...(sql !== undefined && { sql: DEFAULT_TOOL_NAMES.sql }),
    ...(code !== undefined && { code: DEFAULT_TOOL_NAMES.code }),
  };
  const opened = new Map<ArtifactStore, Opened>();
  let latest: Opened | undefined;

  function open(store: ArtifactStore): Opened {
    const limits = DEFAULT_DRILL_IN_LIMITS;
    const drillIn = createDrillIn({ store, measure, limits, sql, code, names, now });
    const made = { drillIn, questions: 0 };
    opened.set(store, made);
    return made;
  }

  /** Only the folder that was asked last keeps its engines when it has answered. */
  async function closeOthers(): Promise<void> {
    const idle = [...opened].filter(([, one]) => one !== latest && one.questions === 0);
    for (const [store] of idle) opened.delete(store);
    await Promise.all(idle.map(([, { drillIn }]) => drillIn.close()));
  }

  async function withDrillIn<T>(
    store: ArtifactStore,
    use: (drillIn: OwnDrillIn) => Promise<T>,
  ): Promise<T> {
    const asked = opened.get(store) ?? open(store);
    latest = asked;
    asked.questions += 1;
    try {
      await closeOthers();
      return await use(asked.drillIn);
    } finally {
      asked.questions -= 1;
      await closeOthers();
    }
  }

  return {
    tools: (["jq", "grep", "sql", "code", "read"] as const).filter((tool) => tool in names),
    async ask(id, { tool, args }, signal) {
      const artifact = await catalogue.find(id);
      const given = tool === "code" ? args : { id, ...args };
      const call = JSON.stringify({ name: names[tool], args: given });
      return await withDrillIn(catalogue.storeOf(artifact), async (drillIn) => {
        const startedAt = performance.now();
        const { text, failed, tokens } = await drillIn[tool](given, {
          scope: artifact.scope,
          signal,
        });
        const durationMs = performance.now() - startedAt;
        const { tokens: callTokens } = await measure.count(call);
        return { text, failed, callTokens, answerTokens: tokens, durationMs };
      });
    },
    close: async () => {
      await Promise.all([...opened.values()].map(({ drillIn }) => drillIn.close()));
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

import { codeTool, startCode } from "../../plugins/code/code.js";
import { createDrillIn, type OwnDrillIn } from "../../core/drill-in/drill-in.js";
import { findInstalled } from "../../core/engines/find-package.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../core/engines/limits.js";
import { resolveSql } from "../../core/engines/sql/start.js";
import { createMeasure } from "../../core/measure/measure.js";
import { defaultName } from "../../core/options/tools.js";
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
  readonly close: () => Promise<void>;
  /** Questions that go on. */
  questions: number;
}

/** Drill-ins over the outputs of a catalogue, with the limits and the words of an agent's tools. */
export function createAsking(catalogue: Catalogue, now: () => number): Asking {
  const measure = createMeasure();
  const sql = resolveSql("auto");
  const hasCode = findInstalled("quickjs-wasi") !== undefined;
  const tools = [
    ...(["jq", "grep"] as const),
    ...(sql === undefined ? [] : ["sql" as const]),
    ...(hasCode ? ["code" as const] : []),
    "read" as const,
  ];
  const names = Object.fromEntries(tools.map((key) => [key, defaultName({ key })]));
  const opened = new Map<ArtifactStore, Opened>();
  let latest: Opened | undefined;

  function open(store: ArtifactStore): Opened {
    const limits = DEFAULT_DRILL_IN_LIMITS;
    const code = hasCode ? startCode(limits) : undefined;
    const drillIn = createDrillIn({
      store,
      measure,
      limits,
      sql,
      tools: code && [codeTool(code.engine)],
      names,
      now,
    });
    const close = async (): Promise<void> => {
      await Promise.all([drillIn.close(), code?.close()]);
    };
    const made = { drillIn, close, questions: 0 };
    opened.set(store, made);
    return made;
  }

  /** Only the folder that was asked last keeps its engines when it has answered. */
  async function closeOthers(): Promise<void> {
    const idle = [...opened].filter(([, one]) => one !== latest && one.questions === 0);
    for (const [store] of idle) opened.delete(store);
    await Promise.all(idle.map(([, { close }]) => close()));
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
    tools,
    async ask(id, { tool, args }, signal) {
      const artifact = await catalogue.find(id);
      const given = tool === "code" ? args : { id, ...args };
      const call = JSON.stringify({ name: names[tool], args: given });
      return await withDrillIn(catalogue.storeOf(artifact), async (drillIn) => {
        const startedAt = performance.now();
        const { text, failed, tokens } = await drillIn.run(tool, given, {
          scope: artifact.scope,
          signal,
        });
        const durationMs = performance.now() - startedAt;
        const { tokens: callTokens } = await measure.count(call);
        return { text, failed, callTokens, answerTokens: tokens, durationMs };
      });
    },
    close: async () => {
      await Promise.all([...opened.values()].map(({ close }) => close()));
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

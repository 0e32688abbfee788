import { orAborted } from "../../util/abort.js";
import { type BodyCache, createBodyCache } from "../engines/body-cache.js";
import { createGrepEngine } from "../engines/grep/engine.js";
import { createJqEngine } from "../engines/jq/engine.js";
import type { SqlEngine, SqlOptions } from "../engines/sql/request.js";
import type { DrillInLimits } from "../engines/limits.js";
import { warmLater } from "../engines/warm-later.js";
import type { TokenMeasure } from "../measure/measure.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import { emit, type Notify, type OffloadEvent } from "../types/events.js";
import type { DrillInTool } from "../types/plugin.js";
import type { RunningCall } from "../types/running-call.js";
import {
  answerLimit,
  type DrillInAnswer,
  type PartialAnswer,
  readLimits,
  MAX_FAULT_TOKENS,
  refusal,
  sentenceAnswer,
  withinLimit,
} from "./answer.js";
import { checkArguments } from "./arguments.js";
import { type CallPrinter, modelCalls, nextCall } from "./calls.js";
import {
  type Ask,
  type AccessLog,
  type DrillInContext,
  isOwnTool,
  type OwnTool,
  type Question,
} from "./context.js";
import {
  answeringStore,
  createSeenArtifacts,
  findIn,
  findOutputs,
  type FoundOutput,
  noteRead,
  noTextSentence,
  toldFault,
} from "./find.js";
import { createIndexes } from "./line-index.js";
import { CORE_TOOLS, type ToolShape } from "./tools.js";

export type { DrillInAnswer } from "./answer.js";

export interface DrillInOptions extends Pick<
  DrillInContext,
  "limits" | "names" | "now" | "onRead"
> {
  readonly store: ArtifactStore;
  readonly measure: TokenMeasure;
  readonly temporaryDirectory?: string | undefined;
  readonly sql?: SqlOptions | undefined;
  readonly tools?: readonly (DrillInTool | OwnTool)[] | undefined;
  readonly clean?: ((text: string, toolName: string) => Promise<string>) | undefined;
  readonly shapes?: readonly ToolShape[] | undefined;
  readonly calls?: CallPrinter | undefined;
  readonly engines?: {
    readonly [Name in "jq" | "grep" | "sql"]?: ReturnType<DrillInContext[Name]>;
  };
  readonly onEvent?: Notify | undefined;
}

/** The drill-ins over one store. */
export interface DrillIn {
  /** All tools, whether the agent has them or not. */
  readonly tools: readonly OwnTool[];
  /**
   * Runs one drill-in. A failure becomes an answer that says what to do. Rejects only with the reason of the call's
   * signal when it aborts.
   *
   * @param tool - The key of a tool.
   * @param args - What the model passed, unchecked.
   */
  run(tool: string, args: unknown, call: RunningCall): Promise<DrillInAnswer>;
  /** Soon loads what the agent's tools need, and starts their engines' workers, which keep no process alive. */
  warm(): void;
}

export interface OwnDrillIn extends DrillIn {
  readonly context: DrillInContext;
  find(reference: string, call: RunningCall): Promise<FoundOutput>;
  /** So that it can be reported when it has expired. */
  remember(artifact: StoredArtifact): void;
  markEvicted(artifact: StoredArtifact): void;
  readonly forget: BodyCache["forget"];
  /** Deletes local copies of outputs that are gone. Never rejects. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

type RunOnOutput = (question: Question) => Promise<PartialAnswer>;

const RUNS: Readonly<Record<(typeof CORE_TOOLS)[number]["key"], () => Promise<RunOnOutput>>> = {
  read: async () => (await import("./read.js")).readPart,
  grep: async () => (await import("./grep.js")).searchLines,
  jq: async () => (await import("./jq.js")).queryByJq,
  sql: async () => (await import("./sql.js")).queryBySql,
};

export function createDrillIn(options: DrillInOptions): OwnDrillIn {
  const { measure, limits, names, now, onRead, onEvent } = options;
  const { shapes = [], engines: given = {} } = options;
  let { jq, grep, sql } = given;
  let stopWarming: (() => void) | undefined;
  const store = answeringStore(options.store);
  const seen = createSeenArtifacts();
  const bodyCache = createBodyCache(store, now, options.temporaryDirectory);
  const coreTools = CORE_TOOLS.map((definition): OwnTool => {
    const { key } = definition;
    const run: RunOnOutput = async (question) => await (await RUNS[key]())(question);
    return { ...definition, ask: (ask, context) => askOutput(key, ask, context, { run }) };
  });
  const tools = [...coreTools, ...(options.tools ?? []).map(toolOf)];
  const context: DrillInContext = {
    store,
    measure,
    limits,
    names,
    calls: options.calls ?? modelCalls(names, shapes, tools),
    seen,
    now,
    onRead,
    onEvent,
    bodyCache,
    indexOf: createIndexes(store),
    jq: () => (jq ??= createJqEngine(limits)),
    grep: () => (grep ??= createGrepEngine(limits)),
    sql: () => (sql ??= options.sql && startSql(limits, options.sql)),
  };

  function toolOf(tool: DrillInTool | OwnTool): OwnTool {
    if (isOwnTool(tool)) return tool;
    return {
      ...tool,
      async ask({ args, call, accessLog }) {
        const given = await tool.run(args.given, call);
        const answer = typeof given === "string" ? { text: given } : given;
        const { failed = false, read = [], stored = [], shown } = answer;
        for (const artifact of read) accessLog.read.set(artifact.id, artifact);
        accessLog.kept.push(...stored);
        const name = names[tool.key] ?? tool.key;
        const text = (await options.clean?.(answer.text, name)) ?? answer.text;
        const { tokens } = await measure.count(text);
        const limit = answerLimit(args.count("max_tokens"), limits, call);
        const whole = { text, tokens, failed, ...(shown && { shown }) };
        return await withinLimit(measure, limit, whole);
      },
    };
  }

  async function answer(tool: OwnTool, raw: unknown, call: RunningCall): Promise<DrillInAnswer> {
    const accessLog: AccessLog = { read: new Map(), kept: [] };
    const told = (partial: PartialAnswer): DrillInAnswer => {
      const [artifactId, ...others] = accessLog.read.keys();
      return {
        ...partial,
        artifactId,
        ...(others.length > 0 && { otherArtifactIds: others }),
        ...(accessLog.kept.length > 0 && { kept: accessLog.kept }),
      };
    };
    try {
      const shape = shapes.find((one) => one.tool === tool.key);
      const args = checkArguments(tool, raw, shape);
      return told(await tool.ask({ args, call, accessLog }, context));
    } catch (error) {
      call.signal?.throwIfAborted();
      const fault = await toldFault(context, error, accessLog.read.values());
      const most = Math.min(limits.maxOutputTokens, MAX_FAULT_TOKENS);
      return told(await sentenceAnswer(measure, most, fault, true));
    }
  }

  return {
    tools,
    context,
    async run(key, args, call) {
      const { sessionKey, signal, toolCallId } = call;
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const tool = tools.find((one) => one.key === key);
      if (tool === undefined) throw new TypeError(`There is no drill-in tool "${key}".`);
      const result = await orAborted(answer(tool, args, call), signal);
      signal?.throwIfAborted();
      const { artifactId, otherArtifactIds, failed, text, tokens: answerTokens } = result;
      const detail = { args, toolCallId, answerBytes: Buffer.byteLength(text) };
      emit<OffloadEvent>((event) => onEvent?.(event, detail), {
        type: "drilled-in",
        tool: names[key] ?? key,
        artifactId,
        ...(otherArtifactIds && { otherArtifactIds }),
        sessionKey,
        durationMs: performance.now() - startedAt,
        answerTokens,
        failed,
      });
      return result;
    },
    find: (reference, call) => findIn(context, call)(reference),
    remember: (artifact) => seen.remember(artifact),
    markEvicted: (artifact) => seen.remember({ ...artifact, isEvicted: true }),
    warm() {
      const offered = CORE_TOOLS.filter(({ key }) => names[key] !== undefined);
      stopWarming ??= warmLater([
        async () => await Promise.all(offered.map(async ({ key }) => await RUNS[key]())),
        () => names.grep && context.grep().warm(),
        () => names.jq && context.jq().warm(),
        async () => names.sql && (await context.sql())?.warm(),
      ]);
    },
    forget: bodyCache.forget,
    sweep: bodyCache.sweep,
    async close() {
      stopWarming?.();
      stopWarming = undefined;
      const ended = [jq, grep, sql];
      ({ jq, grep, sql } = given);
      const close = async (engine: (typeof ended)[number]) => {
        // One that could not be loaded has nothing to close.
        const loaded = await Promise.resolve(engine).catch(() => undefined);
        await loaded?.close();
      };
      await Promise.all(ended.map(close));
      await bodyCache.close();
    },
  };
}

async function startSql(limits: DrillInLimits, options: SqlOptions): Promise<SqlEngine> {
  const { createSqlEngine } = await import("../engines/sql/engine.js");
  return createSqlEngine(limits, options);
}

/**
 * @param ofFiles - Whether the tool accepts binary outputs.
 * @throws whatever the store throws.
 */
export async function askOutput(
  tool: string,
  { args, call, accessLog }: Ask,
  context: DrillInContext,
  { run, ofFiles = false }: { readonly run: RunOnOutput; readonly ofFiles?: boolean },
): Promise<PartialAnswer> {
  const { measure, limits, calls, onEvent } = context;
  const named = args.variables("with");
  // Only valid for one output.
  const find = findIn(context, named === undefined ? { ...call, placeOf: undefined } : call);
  const { artifact, others } = await findOutputs(find, args.reference, named, (one) =>
    accessLog.read.set(one.id, one),
  );
  for (const other of others) accessLog.read.set(other.artifact.id, other.artifact);
  for (const one of accessLog.read.values()) await noteRead(context, one);
  for (const one of ofFiles ? [] : accessLog.read.values()) {
    const noText = noTextSentence(one, context);
    if (noText !== undefined) throw refusal(noText);
  }
  const usual = tool === "read" ? readLimits(artifact, limits) : limits;
  const limit = answerLimit(args.count("max_tokens"), usual, call);
  const references = Object.fromEntries(
    others.map(({ name, artifact: other }) => [name, other.id]),
  );
  const partial = await run({
    context: { ...context, limits: { ...limits, maxOutputTokens: limit } },
    artifact,
    args,
    signal: call.signal,
    others,
    next: (place) =>
      nextCall(calls, tool, artifact, args, place, others.length > 0 ? references : undefined),
  });
  const within = await withinLimit(measure, limit, partial);
  // It had been aged.
  if (tool === "read" && artifact.wasInline && !within.failed)
    for (const listener of [onEvent, call.onEvent])
      emit(listener, {
        type: "restored",
        artifactId: artifact.id,
        sessionKey: call.sessionKey,
        answerTokens: within.tokens,
      });
  return within;
}

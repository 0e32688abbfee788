import type { TokenMeasure } from "../measure/measure.js";
import { emit } from "../types/events.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import { type Ask, type AskParts, type Deeds, isOwnTool, type OwnTool, toldOf } from "./ask.js";
import { askOutput, type RunOnOutput } from "./ask-output.js";
import { searchLines } from "./grep/grep.js";
import { queryByJq } from "./jq/jq.js";
import { createEngines, type GivenEngines } from "./engines.js";
import { createSpool } from "../engines/body-cache.js";
import { modelCalls } from "./model-calls.js";
import { createIndexes } from "./read/line-index.js";
import { readPart } from "./read/read.js";
import { createReport, type OtherAnswer } from "./report.js";
import { answerLimit } from "./shared/answer/answer-limit.js";
import {
  type DrillInAnswer,
  type PartialAnswer,
  sentenceAnswer,
  withinLimit,
} from "./shared/answer/answer.js";
import type { DrillInAnswerInfo } from "./shared/answer/answer-info.js";
import { answeringStore } from "./shared/answering-store.js";
import { type ArgumentShape, checkArguments } from "./shared/arguments.js";
import type { CallPrinter } from "./shared/call-printer.js";
import type { DrillInContext } from "./shared/context.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { RunningCall } from "../types/running-call.js";
import { createSeenArtifacts } from "./shared/seen-artifacts.js";
import type { FoundArtifact } from "./shared/find-artifact.js";
import { findIn } from "./shared/named-outputs.js";
import { toldFault } from "./shared/told-fault.js";
import { CORE_TOOLS } from "./shared/tool-schemas.js";
import type { DrillInTool } from "../types/plugin.js";
import type { SqlOptions } from "../engines/sql/request.js";
import type { ToolShape } from "./tool-shape.js";
import { orAborted } from "../../util/abort.js";

export type { DrillInAnswer } from "./shared/answer/answer.js";
export type { DrillInAnswerInfo } from "./shared/answer/answer-info.js";

/** What drill-ins work with. */
export interface DrillInOptions extends AskParts {
  readonly store: ArtifactStore;
  readonly measure: TokenMeasure;
  readonly limits: DrillInLimits;
  /** Copies of bodies that lie in stores without local files. */
  readonly temporaryDirectory?: string | undefined;
  /** Of the engine of `sql`; without it, `sql` answers that there is none. */
  readonly sql?: SqlOptions | undefined;
  /** Tools beside those of the core. */
  readonly tools?: readonly (DrillInTool | OwnTool)[] | undefined;
  /** Cleans what a tool of a plug-in answers. */
  readonly clean?: ((text: string, toolName: string) => Promise<string>) | undefined;
  /** Names of the tools that the agent has; answers speak of no other. */
  readonly names: DrillInToolNames;
  /** Tools that stand in for usual ones; answers use their names of the arguments. */
  readonly shapes?: readonly ToolShape[] | undefined;
  /** Writes calls where they are not a model's. */
  readonly calls?: CallPrinter | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Engines to use in place of those that are started on first use; `close` closes them too. */
  readonly engines?: GivenEngines | undefined;
  /** Called with every answer before it is handed over; what it throws is ignored. */
  readonly onAnswer?: ((info: DrillInAnswerInfo) => void) | undefined;
}

/** The drill-ins over one store. */
export interface DrillIn {
  /** The tools that there are, whether the agent has them or not. */
  readonly tools: readonly OwnTool[];
  /**
   * One drill-in. What goes wrong is an answer that says what to do. Rejects only with the reason of the call's signal
   * when it aborts.
   *
   * @param tool - The key of a tool.
   * @param args - What the model passed, unchecked.
   */
  run(tool: string, args: unknown, call: RunningCall): Promise<DrillInAnswer>;
  /**
   * Starts a worker for each engine that the agent's tools need and that has none, so that the first
   * drill-in does not wait for it. Returns at once; idle workers do not keep the process alive.
   */
  warm(): void;
}

/** The drill-ins, as whoever made them has them. */
export interface OwnDrillIn extends DrillIn {
  /** What they work with, for those who look outputs up as they do. */
  readonly context: DrillInContext;
  /** The output of that id, file name, path or title, if the call may read it. */
  find(reference: string, call: RunningCall): Promise<FoundArtifact>;
  /** Keeps an artifact in mind, so that it can be told from one that never was when it has expired. */
  remember(artifact: StoredArtifact): void;
  /** Keeps in mind that an artifact was deleted to make room. */
  markEvicted(artifact: StoredArtifact): void;
  /**
   * Counts an answer that something else read from the store, such as a file tool of a deep agent, and
   * tells of it as of one of these drill-ins. Never rejects.
   */
  readonly report: (answer: OtherAnswer) => Promise<void>;
  /** Deletes this machine's copies of a session's bodies. */
  forget(scope: string): Promise<void>;
  /** Ends the workers and deletes this machine's copies of bodies. Later calls start new ones. */
  close(): Promise<void>;
}

const RUNS: Readonly<Record<string, RunOnOutput>> = {
  read: readPart,
  grep: searchLines,
  jq: queryByJq,
  // Loaded with the first query: few agents have it, and its engine takes longer to start.
  sql: async (...given) => await (await import("./sql/sql.js")).queryBySql(...given),
};

/** Creates the drill-ins over a store. Nothing is started before the first call that needs it. */
export function createDrillIn(options: DrillInOptions): OwnDrillIn {
  const { measure, limits, names, now } = options;
  const store = answeringStore(options.store);
  const seen = createSeenArtifacts();
  const spool = createSpool(store, now, options.temporaryDirectory);
  const engines = createEngines(limits, options, options.engines);
  const { jq, grep, sql } = engines;
  const tools = [...CORE_TOOLS.map(coreTool), ...(options.tools ?? []).map(toolOf)];
  const context: DrillInContext = {
    store,
    measure,
    limits,
    names,
    calls: options.calls ?? modelCalls(names, options.shapes, tools),
    seen,
    now,
    onMissing: (storedArtifact) => emit(options.onEvent, { type: "missing", storedArtifact }),
    spool,
    indexOf: createIndexes(store),
    jq,
    grep,
    sql,
  };
  const report = createReport(measure, names, options.onAnswer);

  function failure(sentence: string): Promise<PartialAnswer> {
    return sentenceAnswer(measure, limits.maxOutputTokens, sentence, true);
  }

  /** A tool as the drill-ins run it. */
  function toolOf(tool: DrillInTool | OwnTool): OwnTool {
    if (isOwnTool(tool)) return tool;
    return {
      ...tool,
      async ask({ args, call, deeds }) {
        const given = await tool.run(args.given, call);
        const {
          text,
          failed = false,
          read = [],
          stored = [],
          shown,
        } = typeof given === "string" ? { text: given } : given;
        for (const artifact of read) deeds.read.set(artifact.id, artifact);
        deeds.kept.push(...stored);
        const clean = (await options.clean?.(text, names[tool.key] ?? tool.key)) ?? text;
        const limit = answerLimit(args.count("max_tokens"), limits, call);
        const { tokens } = await measure.count(clean);
        const answer = { text: clean, tokens, failed, ...(shown && { shown }) };
        return await withinLimit(measure, limit.tokens, answer);
      },
    };
  }

  async function answer(tool: OwnTool, raw: unknown, call: RunningCall): Promise<DrillInAnswer> {
    const deeds: Deeds = { read: new Map(), kept: [] };
    try {
      const shape: ArgumentShape | undefined = options.shapes?.find((one) => one.tool === tool.key);
      const { args, problem } = checkArguments(tool, raw, shape);
      if (args === undefined) return { ...(await failure(problem)), ...toldOf(deeds) };
      const ask: Ask = { args, call, deeds };
      return { ...(await tool.ask(ask, context, options)), ...toldOf(deeds) };
    } catch (error) {
      call.signal?.throwIfAborted();
      const sentence = await toldFault(context, error, deeds.read.values());
      return { ...(await failure(sentence)), ...toldOf(deeds) };
    }
  }

  async function run(key: string, args: unknown, call: RunningCall): Promise<DrillInAnswer> {
    const { scope, signal, toolCallId } = call;
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const tool = tools.find((one) => one.key === key);
    if (tool === undefined) throw new TypeError(`There is no drill-in tool "${key}".`);
    // A store that does not answer is not waited for by whoever has given up.
    const result = await orAborted(answer(tool, args, call), signal);
    signal?.throwIfAborted();
    const durationMs = performance.now() - startedAt;
    report.answered(key, { args, toolCallId, scope, durationMs }, result);
    return result;
  }

  return {
    tools,
    run,
    context,
    find: (reference, call) => findIn(context, call)(reference),
    remember: (artifact) => {
      seen.remember(artifact);
    },
    markEvicted: (artifact) => {
      seen.markEvicted(artifact);
    },
    report: (answer) => report.other(answer),
    warm: () => engines.warm(names),
    forget: (scope) => spool.forget(scope),
    close: async () => {
      await engines.close();
      await spool.close();
    },
  };
}

function coreTool(definition: (typeof CORE_TOOLS)[number]): OwnTool {
  const { key } = definition;
  const run = RUNS[key] ?? readPart;
  return {
    ...definition,
    ask: (ask, context, parts) => askOutput(key, ask, context, parts, { run }),
  };
}

import type { TokenMeasure } from "../measure/measure.js";
import { emit, type OffloadListener } from "../types/events.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import { type Ask, type Deeds, toldOf } from "./ask.js";
import { askOutput } from "./ask-output.js";
import { askCode } from "../../plugins/code/ask-code.js";
import type { KeepMade } from "../../plugins/code/keep-made.js";
import type { CodeEngineStarter } from "../../plugins/code/request.js";
import { createEngines, type GivenEngines } from "./engines.js";
import { createSpool } from "../engines/body-cache.js";
import { modelCalls } from "./model-calls.js";
import { createIndexes } from "./read/line-index.js";
import { createReport, type OtherAnswer } from "./report.js";
import { type DrillInAnswer, type PartialAnswer, sentenceAnswer } from "./shared/answer/answer.js";
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
import type { DrillInTool } from "./shared/tool-schemas.js";
import type { SqlOptions } from "../engines/sql/request.js";
import type { ViewLimits } from "../content/media/viewable.js";
import type { ToolShape } from "./tool-shape.js";
import { orAborted } from "../../util/abort.js";

export type { DrillInAnswer } from "./shared/answer/answer.js";
export type { DrillInAnswerInfo } from "./shared/answer/answer-info.js";

/** What drill-ins work with. */
export interface DrillInOptions {
  readonly store: ArtifactStore;
  readonly measure: TokenMeasure;
  readonly limits: DrillInLimits;
  /** Copies of bodies that lie in stores without local files. */
  readonly temporaryDirectory?: string | undefined;
  /** Of the engine of `sql`; without it, `sql` answers that there is none. */
  readonly sql?: SqlOptions | undefined;
  /** Starts the engine of `code`; without it, `code` answers that there is none. */
  readonly code?: CodeEngineStarter | undefined;
  /** Stores what code has made; without it, code can store nothing. */
  readonly keep?: KeepMade | undefined;
  /** Names of the tools that the agent has; answers speak of no other. */
  readonly names: DrillInToolNames;
  /** Tools that stand in for usual ones; answers use their names of the arguments. */
  readonly shapes?: readonly ToolShape[] | undefined;
  /** Writes calls where they are not a model's. */
  readonly calls?: CallPrinter | undefined;
  /** What may be shown of media; without it, nothing. */
  readonly media?: ViewLimits | undefined;
  /** Whether tools of a session take references; without it, none does. */
  readonly takesReferences?: ((scope: string) => boolean) | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Engines to use in place of those that are started on first use; `close` closes them too. */
  readonly engines?: GivenEngines | undefined;
  /** Called and waited for before an artifact is read. */
  readonly onRead?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
  /** Told of results that came back into a context. */
  readonly onEvent?: OffloadListener | undefined;
  /** Called with every answer before it is handed over; what it throws is ignored. */
  readonly onAnswer?: ((info: DrillInAnswerInfo) => void) | undefined;
}

/**
 * One drill-in. `args` is what the model passed, unchecked. What goes wrong is an answer that says what to do. Rejects only with
 * the reason of the call's signal when it aborts.
 */
type RunDrillIn = (args: unknown, call: RunningCall) => Promise<DrillInAnswer>;

/** The drill-ins over one store. */
export interface DrillIn {
  readonly read: RunDrillIn;
  readonly grep: RunDrillIn;
  readonly jq: RunDrillIn;
  readonly sql: RunDrillIn;
  readonly extract: RunDrillIn;
  readonly code: RunDrillIn;
  readonly view: RunDrillIn;
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

/** Creates the drill-ins over a store. Nothing is started before the first call that needs it. */
export function createDrillIn(options: DrillInOptions): OwnDrillIn {
  const { measure, limits, names, now } = options;
  const store = answeringStore(options.store);
  const seen = createSeenArtifacts();
  const spool = createSpool(store, now, options.temporaryDirectory);
  const engines = createEngines(limits, options, options.engines);
  const { jq, grep, sql, code } = engines;
  const context: DrillInContext = {
    store,
    measure,
    limits,
    names,
    media: options.media,
    takesReferences: options.takesReferences,
    calls: options.calls ?? modelCalls(names, options.shapes),
    seen,
    now,
    onMissing: (storedArtifact) => emit(options.onEvent, { type: "missing", storedArtifact }),
    spool,
    indexOf: createIndexes(store),
    jq,
    grep,
    sql,
    code,
  };
  const report = createReport(measure, names, options.onAnswer);

  function shapeOf(tool: DrillInTool): ArgumentShape | undefined {
    return options.shapes?.find((shape) => shape.tool === tool);
  }

  function failure(sentence: string): Promise<PartialAnswer> {
    return sentenceAnswer(measure, limits.maxOutputTokens, sentence, true);
  }

  async function answer(
    tool: DrillInTool,
    raw: unknown,
    call: RunningCall,
  ): Promise<DrillInAnswer> {
    const deeds: Deeds = { read: new Map(), kept: [] };
    try {
      const { args, problem } = checkArguments(tool, raw, shapeOf(tool));
      if (args === undefined) return { ...(await failure(problem)), ...toldOf(deeds) };
      const ask: Ask = { args, call, deeds };
      const partial =
        tool === "code"
          ? await askCode(ask, context, options)
          : await askOutput(tool, ask, context, options);
      return { ...partial, ...toldOf(deeds) };
    } catch (error) {
      call.signal?.throwIfAborted();
      const sentence = await toldFault(context, error, deeds.read.values());
      return { ...(await failure(sentence)), ...toldOf(deeds) };
    }
  }

  function callOf(tool: DrillInTool): RunDrillIn {
    return async (args, call) => {
      const { scope, signal, toolCallId } = call;
      signal?.throwIfAborted();
      const startedAt = performance.now();
      // A store that does not answer is not waited for by whoever has given up.
      const result = await orAborted(answer(tool, args, call), signal);
      signal?.throwIfAborted();
      const durationMs = performance.now() - startedAt;
      report.answered(tool, { args, toolCallId, scope, durationMs }, result);
      return result;
    };
  }

  return {
    read: callOf("read"),
    grep: callOf("grep"),
    jq: callOf("jq"),
    sql: callOf("sql"),
    extract: callOf("extract"),
    code: callOf("code"),
    view: callOf("view"),
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

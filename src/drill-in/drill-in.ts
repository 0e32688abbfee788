import { emit, type OffloadEvent } from "../events.js";
import type { TokenMeasure } from "../measure/measure.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { DrillInToolNames, StoredArtifact } from "../types.js";
import {
  type DrillInAnswer,
  type PartialAnswer,
  sentenceAnswer,
  withinLimit,
} from "./shared/answer.js";
import type { DrillInAnswerInfo } from "./shared/answer-info.js";
import { type ArgumentShape, type CheckedArguments, checkArguments } from "./shared/arguments.js";
import type { DrillInContext } from "./shared/context.js";
import { extract } from "./extract/extract.js";
import { faultSentence } from "./shared/fault-sentence.js";
import { findArtifact } from "./shared/find-artifact.js";
import { createGrepEngine, type GrepEngine } from "./grep/engine.js";
import { searchLines } from "./grep/grep.js";
import { createJqEngine, type JqEngine } from "./jq/engine.js";
import { queryByJq } from "./jq/jq.js";
import type { DrillInLimits } from "./shared/limits.js";
import { createIndexes } from "./read/line-index.js";
import { findOutputs, type NamedOutput, type ScopeOfOutput } from "./shared/named-outputs.js";
import { readPart } from "./read/read.js";
import { createSeenArtifacts } from "./shared/seen-artifacts.js";
import type { Reference } from "./references/reference.js";
import { type ReferenceValue, referenceValue } from "./references/reference-value.js";
import { createSpool, type SpoolOptions } from "./engine/body-cache.js";
import { queryBySql } from "./sql/sql.js";
import type { SqlEngine, SqlEngineStarter } from "./sql/request.js";
import type { DrillInTool } from "./shared/tool-schemas.js";

export type { DrillInAnswer } from "./shared/answer.js";
export type { DrillInAnswerInfo } from "./shared/answer-info.js";

/** What drill-ins work with. */
export interface DrillInOptions {
  readonly store: ArtifactStore;
  readonly measure: TokenMeasure;
  readonly limits: DrillInLimits;
  /** Copies of bodies that lie in stores without local files. */
  readonly spool?: SpoolOptions | undefined;
  /** Starts the engine of `sql`; without it, `sql` answers that there is none. */
  readonly sql?: SqlEngineStarter | undefined;
  /** Names of the tools that the agent has; answers speak of no other. */
  readonly names: DrillInToolNames;
  /** Tools that stand in for usual ones; answers use their names of the arguments. */
  readonly shapes?: readonly (ArgumentShape & { readonly tool: string })[] | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Engines to use in place of those that are started on first use; `close` closes them too. */
  readonly engines?: { readonly jq: JqEngine; readonly grep: GrepEngine } | undefined;
  /** Called and waited for before an artifact is read. */
  readonly onRead?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
  /** Called with every reference that was looked up; what it throws is ignored. */
  readonly onReference?: ((info: ReferenceInfo) => void) | undefined;
  /** Called with every answer before it is handed over; what it throws is ignored. */
  readonly onAnswer?: ((info: DrillInAnswerInfo) => void) | undefined;
}

/** What is worth knowing about one reference. */
type ReferenceInfo = Omit<Extract<OffloadEvent, { type: "referenced" }>, "type">;

/** What was read past the drill-ins, and the text that it gave. */
interface OtherAnswer extends Omit<DrillInAnswerInfo, "answerTokens"> {
  readonly text: string;
}

/**
 * One drill-in. `args` is what the model passed, unchecked; `scope` is the hashed session. What goes
 * wrong is an answer that says what to do. Rejects only with the signal's reason when it aborts.
 *
 * @param scopeOf - Where the outputs of a call that names several are looked for; `scope` by default.
 */
type DrillInCall = (
  args: unknown,
  scope: string,
  signal?: AbortSignal,
  scopeOf?: ScopeOfOutput,
) => Promise<DrillInAnswer>;

/** The drill-ins over one store. */
export interface DrillIn {
  readonly read: DrillInCall;
  readonly grep: DrillInCall;
  readonly jq: DrillInCall;
  readonly sql: DrillInCall;
  readonly extract: DrillInCall;
  /** The data of a reference, for a tool and not for the model. Nothing that is wrong rejects. */
  resolve(reference: Reference, scope: string, options: ReferenceUse): Promise<ResolvedReference>;
  /** Keeps an artifact in mind, so that it can be told from one that never was when it has expired. */
  remember(artifact: StoredArtifact): void;
  /** Keeps in mind that an artifact was deleted to make room. */
  markEvicted(artifact: StoredArtifact): void;
  /**
   * Counts an answer that something else read from the store, such as a file tool of a deep agent, and
   * tells of it as of one of these drill-ins. Never rejects.
   */
  report(answer: OtherAnswer): Promise<void>;
  /**
   * Starts a worker for each engine that the agent's tools need and that has none, so that the first
   * drill-in does not wait for it. Returns at once; idle workers do not keep the process alive.
   */
  warm(): void;
  /** Deletes this machine's copies of a session's bodies. */
  forget(scope: string): Promise<void>;
  /** Ends the workers and deletes this machine's copies of bodies. Later calls of `grep`, `jq`, `sql` and `extract` start new ones. */
  close(): Promise<void>;
}

/** Where the data of a reference go. */
interface ReferenceUse {
  readonly toolName: string;
  readonly parameter: string;
  /** Largest data, as stored or as JSON. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a reference stands for and whose it is, or the sentence that says why there is nothing. */
type ResolvedReference = ReferenceValue & { readonly storedArtifact?: StoredArtifact };

type Run = (
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
  others: readonly NamedOutput[],
) => Promise<PartialAnswer>;

const RUNS: Readonly<Record<DrillInTool, Run>> = {
  read: readPart,
  grep: searchLines,
  jq: queryByJq,
  sql: queryBySql,
  extract,
};

/** Creates the drill-ins over a store. Nothing is started before the first call that needs it. */
export function createDrillIn(options: DrillInOptions): DrillIn {
  const { store, measure, limits, names, now } = options;
  const seen = createSeenArtifacts();
  const spool = createSpool(store, now, options.spool);
  let jq = options.engines?.jq;
  let grep = options.engines?.grep;
  let sql: SqlEngine | undefined;
  const context: DrillInContext = {
    store,
    measure,
    limits,
    names,
    spool,
    indexOf: createIndexes(store),
    jq: () => (jq ??= createJqEngine(limits)),
    grep: () => (grep ??= createGrepEngine(limits)),
    sql: () => (sql ??= options.sql?.(limits)),
  };

  function shapeOf(tool: DrillInTool): ArgumentShape | undefined {
    return options.shapes?.find((shape) => shape.tool === tool);
  }

  function failure(sentence: string): Promise<PartialAnswer> {
    return sentenceAnswer(measure, limits.maxOutputTokens, sentence, true);
  }

  async function answer(
    tool: DrillInTool,
    raw: unknown,
    scopeOf: (isOneOfSeveral: boolean) => ScopeOfOutput,
    signal: AbortSignal | undefined,
  ): Promise<DrillInAnswer> {
    let about: Pick<DrillInAnswer, "artifactId" | "otherArtifactIds"> = { artifactId: undefined };
    let alone: StoredArtifact | undefined;
    try {
      const { args, problem } = checkArguments(tool, raw, shapeOf(tool), limits);
      if (args === undefined) return { ...(await failure(problem)), ...about };
      const { reference } = args;
      const named = args.variables("with");
      const place = { store, seen, nowMs: now() };
      const found = await findOutputs({ reference, named }, scopeOf(named !== undefined), place);
      about = { artifactId: found.storedArtifact?.id };
      if (found.problem !== undefined) return { ...(await failure(found.problem)), ...about };
      const { storedArtifact, others } = found;
      const read = new Map(others.map(({ artifact }) => [artifact.id, artifact]));
      read.delete(storedArtifact.id);
      if (read.size === 0) alone = storedArtifact;
      if (read.size > 0) about = { ...about, otherArtifactIds: [...read.keys()] };
      for (const artifact of [storedArtifact, ...read.values()]) await options.onRead?.(artifact);
      const partial = await RUNS[tool](context, storedArtifact, args, signal, others);
      return { ...(await withinLimit(measure, limits.maxOutputTokens, partial)), ...about };
    } catch (error) {
      signal?.throwIfAborted();
      return { ...(await failure(faultSentence(error, alone))), ...about };
    }
  }

  async function resolve(
    reference: Reference,
    scope: string,
    { maxBytes, signal }: ReferenceUse,
  ): Promise<ResolvedReference> {
    try {
      const request = { reference: reference.output, scope, nowMs: now() };
      const { storedArtifact, problem } = await findArtifact(store, seen, request);
      if (storedArtifact === undefined) return { problem };
      const value = await referenceValue(context, storedArtifact, reference, maxBytes, signal);
      return { ...value, storedArtifact };
    } catch (error) {
      signal?.throwIfAborted();
      return { problem: faultSentence(error) };
    }
  }

  function report(
    tool: DrillInTool,
    scope: string,
    { artifactId, otherArtifactIds, failed, tokens: answerTokens }: DrillInAnswer,
    durationMs: number,
  ): void {
    const about = { artifactId, ...(otherArtifactIds && { otherArtifactIds }) };
    const name = names[tool];
    emit(options.onAnswer, { tool, name, ...about, scope, answerTokens, failed, durationMs });
  }

  function callOf(tool: DrillInTool): DrillInCall {
    return async (args, scope, signal, scopeOf = () => scope) => {
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const place = (several: boolean): ScopeOfOutput => (several ? scopeOf : () => scope);
      const result = await answer(tool, args, place, signal);
      signal?.throwIfAborted();
      report(tool, scope, result, performance.now() - startedAt);
      return result;
    };
  }

  async function reportOther({ text, ...info }: OtherAnswer): Promise<void> {
    try {
      emit(options.onAnswer, { ...info, answerTokens: (await measure.count(text)).tokens });
    } catch {
      // An answer that cannot be counted is an answer all the same.
    }
  }

  return {
    read: callOf("read"),
    grep: callOf("grep"),
    jq: callOf("jq"),
    sql: callOf("sql"),
    extract: callOf("extract"),
    resolve: async (reference, scope, use) => {
      const startedAt = performance.now();
      const resolved = await resolve(reference, scope, use);
      emit(options.onReference, {
        toolName: use.toolName,
        parameter: use.parameter,
        artifactId: resolved.storedArtifact?.id,
        scope,
        sizeBytes: resolved.problem === undefined ? resolved.sizeBytes : 0,
        failed: resolved.problem !== undefined,
        durationMs: performance.now() - startedAt,
      });
      return resolved;
    },
    remember: (artifact) => {
      seen.remember(artifact);
    },
    markEvicted: (artifact) => {
      seen.markEvicted(artifact);
    },
    report: reportOther,
    warm: () => {
      try {
        if (names.jq !== undefined || names.extract !== undefined) context.jq().warm();
        if (names.grep !== undefined) context.grep().warm();
        if (names.sql !== undefined) context.sql()?.warm();
      } catch {
        // A system that starts no worker or process: the first call tells so.
      }
    },
    forget: (scope) => spool.forget(scope),
    close: async () => {
      const engines = [jq, grep, sql];
      jq = options.engines?.jq;
      grep = options.engines?.grep;
      sql = undefined;
      await Promise.all(
        engines.map(async (engine) => {
          await engine?.close();
        }),
      );
      await spool.close();
    },
  };
}

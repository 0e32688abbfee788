import { type IdleSteps, whenIdle } from "../engines/when-idle.js";
import { createGrepEngine } from "../engines/grep/engine.js";
import { createJqEngine } from "../engines/jq/engine.js";
import type { DrillInContext } from "./shared/context.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { CodeEngineStarter } from "../../plugins/code/request.js";
import type { SqlOptions } from "../engines/sql/request.js";
import { startSqlLater } from "../engines/sql/start.js";

/** The engines of the drill-ins, each started when it is first asked for, and again after the end. */
export interface Engines extends Pick<DrillInContext, "jq" | "grep" | "sql" | "code"> {
  /**
   * Starts a worker for each engine that tools of these names need and that has none, soon: one after the other, when
   * the event loop has time.
   */
  warm(names: DrillInContext["names"]): void;
  /** Ends all workers and processes. */
  close(): Promise<void>;
}

/** Engines that are there already. */
export interface GivenEngines {
  readonly jq?: ReturnType<DrillInContext["jq"]>;
  readonly grep?: ReturnType<DrillInContext["grep"]>;
  readonly sql?: ReturnType<DrillInContext["sql"]>;
}

/**
 * Creates the engines.
 *
 * @param asked - The engines of SQL and of code; without one there is no such engine.
 * @param given - Engines to use in place of those that would be started; `close` closes them too.
 */
export function createEngines(
  limits: DrillInLimits,
  asked: {
    readonly sql?: SqlOptions | undefined;
    readonly code?: CodeEngineStarter | undefined;
  },
  given: GivenEngines = {},
): Engines {
  let { jq, grep, sql } = given;
  let code: ReturnType<DrillInContext["code"]>;
  let warming: IdleSteps | undefined;
  const engines: Engines = {
    jq: () => (jq ??= createJqEngine(limits)),
    grep: () => (grep ??= createGrepEngine(limits)),
    sql: () => (sql ??= asked.sql && startSqlLater(limits, asked.sql)),
    code: () => (code ??= asked.code?.(limits)),
    warm(names) {
      if (warming !== undefined) return;
      // A system that starts no worker or process: the first call tells so.
      const steps: (() => void)[] = [];
      if (names.jq !== undefined || names.extract !== undefined)
        steps.push(() => engines.jq().warm());
      if (names.grep !== undefined) steps.push(() => engines.grep().warm());
      if (names.code !== undefined) steps.push(() => engines.code()?.warm());
      if (steps.length > 0) warming = whenIdle(steps, () => (warming = undefined));
    },
    async close() {
      warming?.stop();
      const ended = [jq, grep, sql, code];
      ({ jq, grep, sql } = given);
      code = undefined;
      await Promise.all(ended.map(async (engine) => await engine?.close()));
    },
  };
  return engines;
}

import { type IdleSteps, whenIdle } from "../engines/when-idle.js";
import { createGrepEngine } from "../engines/grep/engine.js";
import { createJqEngine } from "../engines/jq/engine.js";
import type { DrillInContext } from "./shared/context.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { SqlOptions } from "../engines/sql/request.js";
import { startSqlLater } from "../engines/sql/start.js";

/** The engines of the drill-ins, each started when it is first asked for, and again after the end. */
export interface Engines extends Pick<DrillInContext, "jq" | "grep" | "sql"> {
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
 * @param asked - Of the engine of SQL; without it there is none.
 * @param given - Engines to use in place of those that would be started; `close` closes them too.
 */
export function createEngines(
  limits: DrillInLimits,
  asked: { readonly sql?: SqlOptions | undefined },
  given: GivenEngines = {},
): Engines {
  let { jq, grep, sql } = given;
  let warming: IdleSteps | undefined;
  const engines: Engines = {
    jq: () => (jq ??= createJqEngine(limits)),
    grep: () => (grep ??= createGrepEngine(limits)),
    sql: () => (sql ??= asked.sql && startSqlLater(limits, asked.sql)),
    warm(names) {
      if (warming !== undefined) return;
      // A system that starts no worker or process: the first call tells so.
      const steps: (() => void)[] = [];
      if (names.jq !== undefined) steps.push(() => engines.jq().warm());
      if (names.grep !== undefined) steps.push(() => engines.grep().warm());
      if (steps.length > 0) warming = whenIdle(steps, () => (warming = undefined));
    },
    async close() {
      warming?.stop();
      const ended = [jq, grep, sql];
      ({ jq, grep, sql } = given);
      await Promise.all(ended.map(async (engine) => await engine?.close()));
    },
  };
  return engines;
}

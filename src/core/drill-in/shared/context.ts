import type { StoredArtifact } from "../../types/artifact.js";
import type { DrillInToolNames } from "../../types/result.js";
import type { AnswerMeasure } from "./answer/answer.js";
import type { ReadingStore } from "../../store/artifact-store.js";
import type { CallPrinter } from "./call-printer.js";
import type { GrepEngine } from "../../engines/grep/engine.js";
import type { JqEngine } from "../../engines/jq/engine.js";
import type { DrillInLimits } from "../../engines/limits.js";
import type { LineIndex } from "../read/line-index.js";
import type { Spool } from "../../engines/body-cache.js";
import type { SeenArtifacts } from "./seen-artifacts.js";
import type { SqlEngine } from "../../engines/sql/request.js";

/** What every drill-in works with. The engines are started when they are first asked for. */
export interface DrillInContext {
  /** Each of its answers is waited for a bounded time. */
  readonly store: ReadingStore;
  readonly measure: AnswerMeasure;
  readonly limits: DrillInLimits;
  /** Names of the tools that the agent has; answers speak of no other. */
  readonly names: DrillInToolNames;
  /** Whether tools of a session take references; without it, none does. */
  readonly takesReferences?: ((scope: string) => boolean) | undefined;
  /** Writes their calls. */
  readonly calls: CallPrinter;
  /** Artifacts that were there. */
  readonly seen: SeenArtifacts;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Told of an output that the store has lost before its time. */
  readonly onMissing?: ((artifact: StoredArtifact) => void) | undefined;
  /** Where the engines read bodies from. */
  readonly spool: Spool;
  indexOf(artifact: StoredArtifact): LineIndex;
  jq(): JqEngine;
  grep(): GrepEngine;
  /** `undefined` when none was given. */
  sql(): SqlEngine | undefined;
}

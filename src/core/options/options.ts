import type { Gate } from "../decide/gate.js";
import type { Size } from "../decide/gates/threshold.js";
import type { OffloadMode } from "../decide/mode.js";
import type { ToolSelector } from "../decide/selector.js";
import type { TurnBudget } from "../decide/turn/turn-budget.js";
import type { DescribeStageOptions } from "../describe/describer.js";
import type { DrillInOptions } from "../drill-in/stage-options.js";
import type { ToolShape } from "../drill-in/tools.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { SqlOptions } from "../engines/sql/request.js";
import type { TokenizerName } from "../measure/measure.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { FileFormat } from "../store/lay-out.js";
import type { NameRule } from "../store/naming.js";
import type { AccessRule } from "../types/access.js";
import type { OffloadListener } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadPlugin } from "../types/plugin.js";
import type { DrillInToolNames } from "../types/result.js";

export type { DescribeStageOptions } from "../describe/describer.js";
export type { DrillInOptions } from "../drill-in/stage-options.js";

/** How long a stored output lives. */
export interface RetentionOptions {
  /**
   * Life of a stored output in milliseconds, from the moment it is stored.
   *
   * @remarks Set it when conversations pause for longer than an hour, or data must be gone sooner.
   * @defaultValue `3_600_000`, one hour
   * @source LRO specification, Cleanup and Lifecycle.
   */
  readonly ttlMs?: number;
  /**
   * Whether each drill-in gives an output a whole life again, so that it expires when nobody has used it for
   * `ttlMs`. Needs a store with `refresh`, as all of this package have.
   *
   * @remarks Set it when what is used shall live, whenever it was stored.
   * @defaultValue `false`
   */
  readonly refreshOnRead?: boolean;
}

/** What one tool can have of its own. What stands here for a tool holds over what the agent has. */
export interface ToolOptions {
  /**
   * With `false` every output stays inline.
   *
   * @remarks Set it when you compare an agent with and without, or one tool's outputs always have to be whole.
   * @defaultValue `true`
   */
  readonly enabled?: boolean;
  /**
   * Largest output that stays inline; one of exactly this size stays. Bytes are those of the text in UTF-8.
   *
   * @remarks Set it when the model's window is small, or a tool's results are read whole most of the time.
   * @defaultValue `{ tokens: 1600 }`, and `{ tokens: 6400 }` for outputs without records; none when there are `gates`
   * @source LRO specification, Threshold Detection.
   */
  readonly threshold?: Size;
  /**
   * Rules beside the threshold; the smallest limit of all holds. Gates without a threshold hold alone.
   *
   * @remarks Set it when the limit depends on the tool, its arguments or what the conversation has left.
   */
  readonly gates?: readonly Gate[];
  /**
   * What happens above the limit: `store` stores, `truncate` cuts in place, `auto` stores when
   * the agent has a tool to read what is stored.
   *
   * @remarks Set it when nothing may be stored, or only what the agent can read back.
   * @defaultValue `"store"`
   */
  readonly mode?: OffloadMode;
  /**
   * What comes back of an output that cannot be stored: what fits the limit, or all of it unless it would
   * not fit into nine tenths of the context window beside the conversation; then what fits there.
   *
   * @remarks Set it when the model needs the whole output more than the window needs the room.
   * @defaultValue `"truncate"`
   * @source LRO specification, Error Handling.
   */
  readonly onStoreFailure?: "truncate" | "inline";
  /**
   * Layout of the stored file.
   *
   * @remarks Set it when other programs read the stored files as the tool wrote them.
   * @defaultValue `"lro"`: records one a line under a header line
   */
  readonly fileFormat?: FileFormat;
  /**
   * The whole of a result set of which a tool's answer is what a budget left, such as that behind
   * `inject_context`: it is judged and stored in place of the answer, which stays as it is when the set is small. With
   * `undefined` the answer stands for itself; a promise is waited for. When this throws, the answer stays inline and a `write-failed` event
   * says so.
   *
   * @remarks Set it when a tool answers with a part of what it found, and the whole set is at hand.
   */
  readonly selectResultSet?: (output: ToolOutput) => unknown;
  /**
   * Names the stored files.
   *
   * @remarks Set it when people or programs look for files by name.
   * @defaultValue `atlatl-{operation}-{ulid}` with the extension
   */
  readonly fileName?: NameRule;
  /** How long stored outputs live. */
  readonly retention?: RetentionOptions;
  /** What the model sees instead. */
  readonly describe?: DescribeStageOptions;
}

/** What one tool of an agent has of its own, with a preset underneath. */
export type PerToolOptions = ToolOptions & {
  /**
   * A published design for this tool. It brings everything that a tool can have, and the agent's limits do not hold
   * beside its own; tokenizer, store, drill-in tools and the budget of a turn stay the agent's.
   *
   * @remarks Set it when one tool's outputs follow another design than the others'.
   */
  readonly preset?: OffloadOptions;
  /**
   * Settings of plug-ins by the plug-in's name; `false` leaves the tool's outputs to themselves.
   *
   * @remarks Set it when a plug-in is to pass over this tool, or to treat it in its own way.
   */
  readonly plugins?: Readonly<Record<string, unknown>>;
};

/** Everything that can be set. Every part has a default. */
export interface OffloadOptions extends ToolOptions {
  /**
   * Options underneath these: a published design of `langchain-offload/presets`, or defaults of your own. Objects are merged
   * key by key, lists are replaced.
   *
   * @remarks Set it when outputs are to follow a published design.
   */
  readonly preset?: OffloadOptions;
  /** Optional features; the first wraps the others. @defaultValue none */
  readonly plugins?: readonly OffloadPlugin[];
  /**
   * Only these tools: by name, by entries of their `metadata`, or by a rule that is asked about each output. When a rule
   * throws, the output is left alone and a `write-failed` event says so.
   *
   * @remarks Set it when few tools have large outputs.
   * @defaultValue all but the drill-in tools
   */
  readonly include?: ToolSelector;
  /**
   * Never these tools, even when `include` names them.
   *
   * @remarks Set it when a tool's outputs must not be written, or are read whole.
   * @defaultValue none
   */
  readonly exclude?: ToolSelector;
  /**
   * What a tool has of its own, by its name.
   *
   * @remarks Set it when one tool's outputs are larger, rarer or more private than the others'.
   */
  readonly perTool?: Readonly<Record<string, PerToolOptions>>;
  /**
   * What the outputs of all tool calls of one answer of the model may take together, descriptors not
   * counted: the largest leave until the rest fits. Outputs within their equal share never wait; larger
   * ones are handed over when every call of the turn has ended.
   *
   * @remarks Set it when the model calls many tools at once.
   * @defaultValue none
   */
  readonly turnBudget?: TurnBudget;
  /**
   * What counts the tokens of a tool output: an encoding by its name, `"characters"` for a quarter of them, or a
   * function. A function gets the whole text, once, and returns its tokens; where it throws or returns no number from 0
   * up, characters / 4 stand in. So they do where a tokenizer cannot be loaded.
   *
   * @remarks Set it when your model counts otherwise, or outputs are few and a rough count is enough.
   * @defaultValue `"o200k_base"`
   */
  readonly tokenizer?: TokenizerName | ((text: string) => number);
  /**
   * Context window of the model in tokens, for gates and budgets that ask.
   *
   * @remarks Set it when the model's profile does not say its window, and a gate or a budget is a share of it.
   * @defaultValue what the model's profile says, where one is in sight
   */
  readonly contextWindowTokens?: number;
  /**
   * Where outputs are kept.
   *
   * @remarks Set it when outputs have to outlive a restart, or agents run on several machines.
   * @defaultValue `fileStore()`: the system's temporary directory
   */
  readonly store?: ArtifactStore;
  /** How long stored outputs live, and how much is kept. */
  readonly retention?: RetentionOptions & {
    /**
     * Most bytes of one session. What is over is deleted, the one not used for longest first, and never
     * what the same turn has stored.
     *
     * @remarks Set it when one conversation may not fill the disk.
     * @defaultValue no limit
     */
    readonly maxSessionBytes?: number;
    /**
     * The same over all sessions that this process has met.
     *
     * @remarks Set it when the disk is small.
     * @defaultValue no limit
     */
    readonly maxTotalBytes?: number;
  };
  /**
   * Most bytes of one stream; a longer one is stopped there, and its descriptor says so.
   *
   * @remarks Set it when a tool's stream may never end, or the disk is small.
   * @defaultValue `4_294_967_296`, 4 GiB
   */
  readonly maxOutputBytes?: number;
  /**
   * Where copies of bodies from shared stores are kept for the engines, and streams until they are stored. Of this user
   * only; processes may share it. Where somebody else's folder or a link stands, or others may write, this process makes
   * a folder of its own in the system's temporary directory instead.
   *
   * @remarks Set it when the temporary directory is small, or not private.
   * @defaultValue `langchain-offload-spool-{user id}` in the system's temporary directory
   */
  readonly temporaryDirectory?: string;
  /** Tools and limits of later reading; `false` for no tools at all. */
  readonly drillIn?: DrillInOptions | false;
  /**
   * Which other sessions' outputs a session may read. The rule is asked when the session has no output of the id, and
   * gives the ids of at most 16 sessions.
   *
   * @remarks Set it when a sub-agent, another thread or another machine is to read what a session has stored.
   * @defaultValue none: a session reads its own outputs
   */
  readonly access?: AccessRule;
  /**
   * Called with every event; what it throws, or its promise rejects with, is ignored.
   *
   * @remarks Set it when you log, measure or debug what happens to outputs.
   */
  readonly onEvent?: OffloadListener;
  /**
   * The clock, in Unix milliseconds.
   *
   * @remarks Set it when tests need a clock of their own.
   * @defaultValue `Date.now`
   */
  readonly now?: () => number;
}

/** What holds for one tool, after defaults. */
export interface ResolvedToolOptions extends Required<
  Pick<ToolOptions, "enabled" | "onStoreFailure" | "fileFormat" | "fileName" | "describe">
> {
  readonly selectResultSet: ToolOptions["selectResultSet"] | undefined;
  /** The threshold in tokens; `undefined` when it is in bytes or there are only other gates. */
  readonly thresholdTokens: number | undefined;
  readonly gates: readonly Gate[];
  /** What holds in their place for outputs without records; `undefined` where they hold for all. */
  readonly textGates: readonly Gate[] | undefined;
  /** A text of at most so many UTF-8 bytes is within every limit, however its tokens are counted; 0 where calls differ. */
  readonly shortBytes: number;
  readonly mode: Exclude<OffloadMode, "auto">;
  readonly contextWindowTokens: number | undefined;
  readonly ttlMs: number;
  readonly refreshOnRead: boolean;
  /** Settings of plug-ins by their names. */
  readonly ofPlugins?: Readonly<Record<string, unknown>>;
}

/** Options that have no default of their own: they are as they were given. */
type AsGiven = "include" | "exclude" | "turnBudget" | "temporaryDirectory" | "access" | "onEvent";

/** All options after defaults. */
export interface ResolvedOffloadOptions
  extends
    ResolvedToolOptions,
    Required<Pick<OffloadOptions, "plugins" | "store" | "maxOutputBytes" | "tokenizer" | "now">>,
    Readonly<{ [Name in AsGiven]: OffloadOptions[Name] | undefined }> {
  readonly drillIn: DrillInOptions | false;
  /** Names of the drill-in tools that exist; empty when there are none. */
  readonly toolNames: DrillInToolNames;
  /** Tools that stand in for usual ones. */
  readonly toolShapes: readonly ToolShape[];
  readonly drillInLimits: DrillInLimits;
  readonly sql: SqlOptions | undefined;
  readonly maxSessionBytes: number | undefined;
  readonly maxTotalBytes: number | undefined;
  /** What some tools have of their own, by the tool's name. */
  readonly perTool: ReadonlyMap<string, ResolvedToolOptions>;
}

import type { Gate } from "../decide/gate.js";
import type { Size } from "../decide/gates/threshold.js";
import type { ToolSelector } from "../decide/selector.js";
import type { TurnBudget } from "../decide/turn/turn-budget.js";
import type { DescribeStageOptions } from "../describe/describer.js";
import type { DrillInOptions } from "../drill-in/stage-options.js";
import type { ToolShape } from "../drill-in/tools.js";
import type { DrillInLimits } from "../engines/limits.js";
import type { SqlOptions } from "../engines/sql/request.js";
import type { MeasureOptions } from "../measure/measure.js";
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

/**
 * What happens to an output over the limit. `store`: it is stored and replaced by a descriptor. `truncate`: it is cut
 * in place, and the rest is lost. `auto`: stored for an agent with the read, grep, jq or SQL tool, else cut.
 */
export type OffloadMode = "store" | "truncate" | "auto";

/** How long a stored output lives. */
export interface RetentionOptions {
  /**
   * Lifetime of a stored output in milliseconds, from the moment it is stored.
   *
   * @remarks Set it when conversations pause for longer than an hour, or data must be gone sooner.
   * @defaultValue `3_600_000`, one hour
   * @source LRO specification, Cleanup and Lifecycle.
   */
  readonly ttlMs?: number;
  /**
   * Whether each drill-in restarts an output's lifetime, so that it expires `ttlMs` after its last use. Needs a store
   * with `refresh`, which all stores of this package but `s3Store` have.
   *
   * @remarks Set it when what is used shall live, whenever it was stored.
   * @defaultValue `false`
   */
  readonly refreshOnRead?: boolean;
}

/** Options that each tool can have. A tool's own options win over the agent's. */
export interface ToolOptions {
  /**
   * With `false` every output stays inline.
   *
   * @remarks Set it when you compare an agent with and without, or one tool's outputs always have to be whole.
   * @defaultValue `true`
   */
  readonly enabled?: boolean;
  /**
   * Largest output that stays inline; an output of exactly this size stays. Bytes are UTF-8 bytes of the text.
   *
   * @remarks Set it when the model's window is small, or a tool's results are read whole most of the time.
   * @defaultValue `{ tokens: 1600 }`, and `{ tokens: 6400 }` for outputs without records; none when there are `gates`
   * @source LRO specification, Threshold Detection.
   */
  readonly threshold?: Size;
  /**
   * Rules in addition to the threshold. The smallest limit of all applies. Without a threshold, only the gates apply.
   *
   * @remarks Set it when the limit depends on the tool, its arguments or what the conversation has left.
   */
  readonly gates?: readonly Gate[];
  /**
   * What happens above the limit: `store` stores the output, `truncate` cuts it in place, and `auto` stores it if the
   * agent has the read, grep, jq or SQL tool.
   *
   * @remarks Set it when nothing may be stored, or only what the agent can read back.
   * @defaultValue `"store"`
   */
  readonly mode?: OffloadMode;
  /**
   * What is returned for an output that cannot be stored. `truncate` returns what fits the limit. `inline` returns
   * all of it, or what fits into nine tenths of the context window beside the conversation.
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
   * @defaultValue `"lro"`: a header line, then one record per line
   */
  readonly fileFormat?: FileFormat;
  /**
   * Returns the whole result set when a tool's answer is only what a budget left of it, as with `inject_context`. The
   * set is compared with the limit and stored instead of the answer; if it is small, the answer stays unchanged.
   * `undefined` means that the answer is complete. A promise is awaited. If the function throws, the answer stays
   * inline and a `write-failed` event is sent.
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
  /** What the model sees instead of the output. */
  readonly describe?: DescribeStageOptions;
}

/** Options of one tool, with an optional preset. */
export type PerToolOptions = ToolOptions & {
  /**
   * A preset for this tool. It sets everything that a tool can have, and its limits replace the agent's. Tokenizer,
   * store, drill-in tools and turn budget stay the agent's.
   *
   * @remarks Set it when one tool's outputs follow another design than the others'.
   */
  readonly preset?: OffloadOptions;
  /**
   * Settings of plugins for this tool, by the plugin's name; `false` switches off what a plugin does to its outputs.
   *
   * @remarks Set it when a plugin is to pass over this tool, or to treat it in its own way.
   */
  readonly plugins?: Readonly<Record<string, unknown>>;
};

/** All options. Each has a default. */
export interface OffloadOptions extends ToolOptions, MeasureOptions {
  /**
   * Options that these override: a preset of `langchain-offload/presets`, or defaults of your own. `describe`,
   * `retention`, `drillIn` and `perTool` are merged key by key, `plugins` by name; any other option replaces that of
   * the preset.
   *
   * @remarks Set it when outputs are to follow a published design.
   */
  readonly preset?: OffloadOptions;
  /** Optional features; the first wraps the others. @defaultValue none */
  readonly plugins?: readonly OffloadPlugin[];
  /**
   * Only these tools: by name, or by a rule for each output. If a rule throws, the output stays unchanged and a
   * `write-failed` event is sent.
   *
   * @remarks Set it when few tools have large outputs.
   * @defaultValue all but the drill-in tools
   */
  readonly include?: ToolSelector;
  /**
   * Never these tools, even if `include` names them.
   *
   * @remarks Set it when a tool's outputs must not be written, or are read whole.
   * @defaultValue none
   */
  readonly exclude?: ToolSelector;
  /**
   * Options of single tools, by name.
   *
   * @remarks Set it when one tool's outputs are larger, rarer or more private than the others'.
   */
  readonly perTool?: Readonly<Record<string, PerToolOptions>>;
  /**
   * What the outputs of all tool calls in one model answer may take together, not counting descriptors. The largest
   * outputs are offloaded until the rest fits. Outputs within their equal share never wait; larger ones wait until
   * every call of the turn has ended. Calls of a `withOffload` tool, or of a function in `offloadNode`, do not wait:
   * each has its equal share.
   *
   * @remarks Set it when the model calls many tools at once.
   * @defaultValue none
   */
  readonly turnBudget?: TurnBudget;
  /**
   * Context window of the model in tokens, for gates and budgets.
   *
   * @remarks Set it when the model's profile does not say its window, and a gate or a budget is a share of it.
   * @defaultValue what the model's profile says, where one is in sight
   */
  readonly contextWindowTokens?: number;
  /**
   * Where outputs are stored.
   *
   * @remarks Set it when outputs have to outlive a restart, or agents run on several machines.
   * @defaultValue `fileStore()`: the system's temporary directory
   */
  readonly store?: ArtifactStore;
  /** How long stored outputs live, and how much is stored. */
  readonly retention?: RetentionOptions & {
    /**
     * Most bytes of one session. Beyond that, the least recently used outputs are deleted, but never those of the
     * current turn.
     *
     * @remarks Set it when one conversation may not fill the disk.
     * @defaultValue no limit
     */
    readonly maxSessionBytes?: number;
    /**
     * The same over all sessions that this process has seen.
     *
     * @remarks Set it when the disk is small.
     * @defaultValue no limit
     */
    readonly maxTotalBytes?: number;
  };
  /**
   * Most bytes of one stream. A longer stream is stopped there, and its descriptor says so.
   *
   * @remarks Set it when a tool's stream may never end, or the disk is small.
   * @defaultValue `4_294_967_296`, 4 GiB
   */
  readonly maxOutputBytes?: number;
  /**
   * Directory for the engines' copies of bodies from shared stores, and for streams until they are stored. Several
   * processes of this user may share it. If it belongs to another user, is a link, or others may write to it, bodies
   * are held in memory instead, up to 64 MiB.
   *
   * @remarks Set it when the temporary directory is small, or not private.
   * @defaultValue `langchain-offload-spool-{user id}` in the system's temporary directory
   */
  readonly temporaryDirectory?: string;
  /** Tools that read stored outputs, and their limits; `false` for no tools. */
  readonly drillIn?: DrillInOptions | false;
  /**
   * Other sessions whose outputs a session may read. The rule is called if the session has no output of the id, and
   * returns at most 16 session ids.
   *
   * @remarks Set it when a sub-agent, another thread or another machine is to read what a session has stored.
   * @defaultValue none: a session reads its own outputs
   */
  readonly access?: AccessRule;
  /**
   * Called with every event. Errors and rejections are ignored.
   *
   * @remarks Set it when you log, measure or debug what happens to outputs.
   */
  readonly onEvent?: OffloadListener;
  /**
   * The clock, in Unix milliseconds. Your own store takes `now` itself.
   *
   * @remarks Set it when tests need a clock of their own.
   * @defaultValue `Date.now`
   */
  readonly now?: () => number;
}

/** The options of one tool, with defaults. */
export interface ResolvedToolOptions extends Required<
  Pick<ToolOptions, "enabled" | "onStoreFailure" | "fileFormat" | "fileName" | "describe">
> {
  readonly selectResultSet: ToolOptions["selectResultSet"] | undefined;
  /** The threshold in tokens; `undefined` if it is in bytes or only gates apply. */
  readonly thresholdTokens: number | undefined;
  /** The threshold's gate and those that are stated. */
  readonly gates: readonly Gate[];
  readonly statedGates: readonly Gate[];
  /** Gates for outputs without records; `undefined` if `gates` apply to them too. */
  readonly textGates: readonly Gate[] | undefined;
  /**
   * A text of at most this many UTF-8 bytes is within every limit, whatever its tokens; 0 if that depends on the
   * call.
   */
  readonly shortBytes: number;
  readonly mode: Exclude<OffloadMode, "auto">;
  readonly contextWindowTokens: number | undefined;
  readonly ttlMs: number;
  readonly refreshOnRead: boolean;
  /** Settings of plugins by name. */
  readonly ofPlugins?: PerToolOptions["plugins"];
}

/** All options, with defaults. */
export interface ResolvedOffloadOptions
  extends
    ResolvedToolOptions,
    Required<Pick<OffloadOptions, "plugins" | "store" | "maxOutputBytes" | "tokenizer" | "now">>,
    Pick<
      OffloadOptions,
      "include" | "exclude" | "turnBudget" | "temporaryDirectory" | "access" | "onEvent"
    > {
  readonly drillIn: DrillInOptions | false;
  /** Names of the drill-in tools; empty if there are none. */
  readonly toolNames: DrillInToolNames;
  /** Tools that replace usual ones. */
  readonly toolShapes: readonly ToolShape[];
  readonly drillInLimits: DrillInLimits;
  readonly sql: SqlOptions | undefined;
  readonly maxSessionBytes: number | undefined;
  readonly maxTotalBytes: number | undefined;
  /** Options of single tools, by name. */
  readonly perTool: ReadonlyMap<string, ResolvedToolOptions>;
}

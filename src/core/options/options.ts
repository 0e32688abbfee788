import type { AgingOptions } from "../../plugins/aging/aging-options.js";
import type { ConfigOptions } from "./read-settings.js";
import type { DecideOptions } from "../decide/decide.js";
import type { Size } from "../decide/gates/threshold.js";
import type { MediaOptions } from "./media-options.js";
import type { ScopeOptions } from "../decide/scope.js";
import type { DescribeStageOptions } from "../describe/stage-options.js";
import type { ReferenceOptions } from "../describe/references.js";
import type { DrillInOptions } from "../drill-in/stage-options.js";
import type { OffloadListener } from "../types/events.js";
import type { Journal } from "../../plugins/journal/journal.js";
import type { RetentionOptions } from "../store/lifetime/retention-options.js";
import type { MeasureOptions } from "../measure/measure.js";
import type { Redact } from "../../plugins/redact/redact.js";
import type { OffloadPlugin } from "../types/plugin.js";
import type { StreamOptions } from "../content/stream/output-stream.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { FileEncoding } from "../store/body/encode.js";
import type { NameRule } from "../store/name-rules.js";
import type { AccessRule } from "../types/access.js";
import type { ToolOutput } from "../types/output.js";

export type { DescribeStageOptions } from "../describe/stage-options.js";
export type { DrillInOptions } from "../drill-in/stage-options.js";

/**
 * What a tool can have of its own. For one tool of an agent, each part stands in for the agent's. In
 * `decide`, a part without a limit has the agent's limits, and an empty one the threshold of `config`
 * or else the default; the context window is the agent's unless it is given.
 */
export interface ToolOptions {
  /**
   * With `false` every output stays inline.
   *
   * @remarks Set it when you compare an agent with and without, or one tool's outputs always have to be whole.
   * @defaultValue `true`
   */
  readonly enabled?: boolean;
  /**
   * Largest output that stays, `{ tokens }` or `{ bytes }`; one of exactly this size stays. It is `decide.threshold`
   * under a shorter name: only one of them may be given. For one tool it changes nothing else of `decide`.
   *
   * @remarks Set it when the model's window is small, or a tool's results are read whole most of the time.
   * @defaultValue `{ tokens: 1600 }`
   */
  readonly threshold?: Size;
  /**
   * The whole of a result set of which a tool's answer is what a budget left, such as that behind
   * `inject_context`: it is judged and stored in place of the answer, which stays as it is when the set is small. With
   * `undefined` the answer stands for itself; a promise is waited for. When this throws, the answer stays inline and a `write-failed` event
   * says so.
   *
   * @remarks Set it when a tool answers with a part of what it found, and the whole set is at hand.
   */
  readonly selectResultSet?: (output: ToolOutput) => unknown;
  /** When an output leaves the context. */
  readonly decide?: DecideOptions;
  /**
   * Layout of the stored file.
   *
   * @remarks Set it when other programs read the stored files as the tool wrote them.
   * @defaultValue `"lro"`: records one a line under a header line
   */
  readonly encode?: FileEncoding;
  /**
   * Names the stored files.
   *
   * @remarks Set it when people or programs look for files by name.
   * @defaultValue `atlatl-{operation}-{ulid}` with the extension
   */
  readonly fileName?: NameRule;
  /** What the model sees instead. */
  readonly describe?: DescribeStageOptions;
  /** How long stored outputs live. */
  readonly retention?: RetentionOptions;
}

/** Options of one tool among an agent's, which are one for all its tools in these parts: `forTool(preset)` leaves them out. */
export type OwnToolOptions = Omit<ToolOptions, "decide" | "retention"> & {
  readonly decide?: Omit<DecideOptions, "turnBudget" | "callArgument"> & {
    readonly turnBudget?: never;
    readonly callArgument?: never;
  };
  readonly retention?: Pick<RetentionOptions, "ttlMs" | "refreshOnRead"> & {
    readonly perSession?: never;
    readonly perStore?: never;
  };
  readonly measure?: never;
  readonly store?: never;
  readonly drillIn?: never;
};

/** Everything that can be set, in the order of the walk. Every part has a default. */
export interface OffloadOptions extends ToolOptions {
  /**
   * The environment and the TOML file that the LRO specification names; read only when given.
   *
   * @remarks Set it when operators set limits without touching the code.
   */
  readonly config?: ConfigOptions;
  /** How outputs are counted. */
  readonly measure?: MeasureOptions;
  /**
   * Where outputs are kept.
   *
   * @remarks Set it when outputs have to outlive a restart, or agents run on several machines.
   * @defaultValue `fileStore()`: the system's temporary directory
   */
  readonly store?: ArtifactStore;
  /** Optional features; the first wraps the others. @defaultValue none */
  readonly plugins?: readonly OffloadPlugin[];
  /** How outputs that come in parts are read. */
  readonly streams?: StreamOptions;
  /**
   * Takes out what nobody may keep or see, before anything is measured, stored or described; what stays inline is
   * redacted too. Called with whole texts, and of streams with each line or record. Where it throws, a sentence takes the
   * place of the output. @defaultValue none: outputs are kept as they come
   */
  readonly redact?: Redact;
  /**
   * Stores images, sounds, PDF and other files in content blocks that are larger than a threshold, byte for byte, and adds a tool that
   * shows one to the model: `true`, or when and how.
   *
   * @remarks Set it when tools return screenshots, charts, scans or recordings, which otherwise stay in the conversation.
   * @defaultValue `false`: blocks stay in the message as they came
   */
  readonly media?: MediaOptions | boolean;
  /** Tools and limits of later reading; `false` for no tools at all. */
  readonly drillIn?: DrillInOptions | false;
  /**
   * Tools that take stored outputs as arguments: the model passes `{"$output": id}` and the tool gets the data, which the
   * context never holds. `"auto"`, in agents with the middleware, stands for the parameters that take data by their
   * schema; `{ never: ["send_mail"] }` but for these tools; `{ send_report: ["rows"] }` for this one alone; `true` for all
   * parameters of all tools; `false` for none.
   *
   * @remarks Set it when tools take large data that the model would otherwise retype, or some tool must never be given stored data.
   * @defaultValue `"auto"`
   */
  readonly references?: ReferenceOptions;
  /**
   * Which other sessions' outputs a session may read. The rule is asked when the session has no output of the id, and
   * gives the ids of at most 16 sessions.
   *
   * @remarks Set it when a sub-agent, another thread or another machine is to read what a session has stored.
   * @defaultValue none: a session reads its own outputs
   */
  readonly access?: AccessRule;
  /**
   * Results that have gone stale leave the context of a long conversation, restorable by one call: `true`, or when and how.
   * For agents with the middleware, and hand-written graphs with `ageMessages`.
   *
   * @remarks Set it when conversations are long, and their old results cost more than they are read.
   * @defaultValue `false`
   */
  readonly aging?: AgingOptions | boolean;
  /**
   * When the model is shown the drill-in tools: in every call, or from the first offloaded output of
   * its conversation on. A list of tools that changes makes a provider's prompt cache start anew; for
   * conversations that seldom offload, the second saves the tools' definitions. The agent can run
   * the tools either way. For agents with the middleware.
   *
   * @remarks Set it when most conversations never offload.
   * @defaultValue `"always"`
   */
  readonly showTools?: ShowTools;
  /**
   * Which tools take part, and what some have of their own. @defaultValue all but the drill-in tools
   */
  readonly scope?: ScopeOptions & {
    /**
     * What a tool has of its own, by its name; each part stands in for the agent's.
     *
     * @remarks Set it when one tool's outputs are larger, rarer or more private than the others'.
     */
    readonly perTool?: Readonly<Record<string, OwnToolOptions>>;
  };
  /**
   * Called with every event; what it throws, or its promise rejects with, is ignored.
   *
   * @remarks Set it when you log, measure or debug what happens to outputs.
   */
  readonly onEvent?: OffloadListener;
  /**
   * Keeps what happens, for `npx langchain-offload inspect` and for support: `fileJournal()` of `langchain-offload/journal`, or a
   * journal of your own. It never fails or delays a tool call.
   *
   * @remarks Set it when you want to look at what an agent saw, what it did not, and what it read later.
   * @defaultValue none: nothing is kept
   */
  readonly journal?: Journal;
  /**
   * The clock, in Unix milliseconds.
   *
   * @remarks Set it when tests need a clock of their own.
   * @defaultValue `Date.now`
   */
  readonly now?: () => number;
}

/** From when on the model is shown the drill-in tools. */
export type ShowTools = "always" | "after-first-offload";

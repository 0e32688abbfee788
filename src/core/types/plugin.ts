import type * as z from "zod";

import type { DescriberInput } from "../describe/describer.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { FileFormat } from "../store/lay-out.js";
import type { StoredArtifact } from "./artifact.js";
import type { EventDetail, OffloadEvent } from "./events.js";
import type { MediaKind, ShownMedia } from "./media.js";
import type { ToolOutput } from "./output.js";
import type { DescriptorPart, OffloadedOutput, OffloadResult } from "./result.js";
import type { RunningCall } from "./running-call.js";

/** An optional feature, as plain data. One object may serve several offloaders, so `setup` creates all state. */
export interface OffloadPlugin {
  /** Unique in a list. Key of its settings in `perTool.X.plugins`. */
  readonly name: string;
  /** Checks the settings of one tool, except for `false`. Default: only `false` is allowed. */
  readonly toolOptions?: z.ZodType;
  /** Called once for each offloader, in the order of the list. An error fails the factory. */
  setup(api: PluginApi): PluginHooks;
}

/** What a plugin does. Every hook is optional; missing ones cost nothing. */
export interface PluginHooks {
  /**
   * Removes private data from one text. The core calls it once for each text of an output, before anything else reads
   * the output, and for every other text that it hands out. If it throws, returns no text or takes longer than a
   * minute, the output is withheld.
   */
  readonly clean?: Clean;
  /**
   * Wraps the pipeline of one output. It may change the output or the result, or not call `next`. It must not read a
   * stream in the output. If it throws before `next`, the pipeline continues with the unchanged output. If it throws
   * after `next`, the result of `next` is used; if the hook had changed the output, and that is no stream, the
   * pipeline runs again.
   */
  wrapOutput?(call: OutputCall, next: NextOutput): Promise<OffloadResult>;
  /** Adds to the descriptor of one stored output. If it throws, it adds nothing. */
  describe?(input: DescriberInput): DescriptorPart | undefined;
  /** Tools for reading stored outputs, in addition to read, grep, jq and sql. */
  readonly tools?: readonly DrillInTool[];
  /** Called with each output and its result at the end, without waiting. */
  onOutput?(call: OutputCall, result: OffloadResult): void;
  /** Called with each event, without waiting. */
  onEvent?(event: OffloadEvent, detail: EventDetail): void;
  /** The plugin's part in a LangChain agent. `offloadMiddleware` and similar functions call it with their host. */
  agent?(host: never): object;
  /**
   * Called in a LangChain agent before a call reads what its arguments name, so that lost outputs may be stored
   * again. The second argument is the place of the call.
   */
  beforeRead?(args: unknown, at: never): Promise<ReadableArguments>;
  /** Called once before the first output, if outputs go to an MCP client. */
  mcp?(host: McpHost): void;
  /** Called when a session ends. The argument is the hashed session. */
  endSession?(sessionKey: string): void | Promise<void>;
  /** Called when the offloader is closed, which waits at most 10 seconds. */
  close?(): void | Promise<void>;
}

/** The arguments with which a reading call continues. */
export interface ReadableArguments {
  readonly args: unknown;
  /** A sentence for the model instead of the answer, if the named output is lost. */
  readonly lost?: string | undefined;
}

/** Properties of MCP clients. */
export interface McpHost {
  /** Kinds of files that results of tools can show. */
  readonly views: readonly MediaKind[];
}

/** Cleans one text; returns the cleaned or the same text. */
export type Clean = (text: string, part: TextPart) => string | Promise<string>;

/** Describes a text to be cleaned. */
export interface TextPart {
  readonly toolName: string;
  /**
   * `output`: all text that a model would read, or the JSON of data. `line` and `record`: one line of a stream
   * without its end, or the JSON of one record; `line` is also the error of an MCP server. `block`: text in another
   * content block. `arguments` and `artifact`: the JSON of the call's arguments, and of data beside an output, such
   * as LangChain's own artifact. `title`: the title of the output.
   */
  readonly part: "output" | "line" | "record" | "block" | "arguments" | "artifact" | "title";
}

/** One output in the pipeline. */
export interface OutputCall {
  readonly output: ToolOutput;
  readonly call: RunningCall;
  /** The origin of the output: a tool, the user, code by `put`, or a drill-in that derived it from stored outputs. */
  readonly source: OutputSource;
}

export type OutputSource = "tool" | "user" | "put" | "derived";

/** The rest of the pipeline. It runs once; further calls return the same promise. */
export type NextOutput = (call: OutputCall) => Promise<OffloadResult>;

/** A drill-in tool of a plugin. Its answer is cleaned, cut to the longest answer, and never offloaded. */
export interface DrillInTool {
  /** Its key in `drillIn.names`. */
  readonly key: string;
  /** @defaultValue `{key}_tool_output` */
  readonly name?: string;
  readonly description: string;
  /** Invalid arguments are answered with a sentence that says what is allowed. */
  readonly schema: z.ZodObject;
  /** An error becomes a failed answer. */
  run(
    args: Readonly<Record<string, unknown>>,
    call: RunningCall,
  ): Promise<ToolAnswer | string> | ToolAnswer | string;
}

/** The answer of a plugin's tool. */
export interface ToolAnswer {
  readonly text: string;
  /** Whether the text says what went wrong. @defaultValue `false` */
  readonly failed?: boolean;
  /** Stored outputs that were read. */
  readonly read?: readonly StoredArtifact[];
  /** Outputs that the call stored. */
  readonly stored?: readonly StoredArtifact[];
  /** A file that the model is shown after the text. */
  readonly shown?: ShownMedia;
}

/** The core's services for a plugin. `setup` can use only `perSession`, `toolsWithOptions`, `toolOptions`. */
export interface PluginApi {
  readonly store: ArtifactStore;
  /** Unix milliseconds. */
  readonly now: () => number;
  countTokens(text: string): Promise<number>;
  /** Cleans a text with the `clean` hooks of all plugins. @throws {@link OffloadError} with code `REDACT_FAILED` */
  clean(text: string, part: TextPart): Promise<string>;
  emit(event: OffloadEvent, detail?: EventDetail): void;
  /**
   * Stores a value of any size, cleaned but without `wrapOutput`.
   *
   * @throws {@link OffloadError} with code `STORE_WRITE_FAILED`, also for a value without text; what a stream throws
   */
  put(value: unknown, options: PluginPutOptions): Promise<OffloadedOutput>;
  /** The stored output of an id, file name, path or title, if the call may read it. */
  find(reference: string, call: RunningCall): Promise<StoredArtifact | undefined>;
  /** State in this process, for the latest 1,000 sessions. */
  perSession<State>(create: () => State): (call: Pick<RunningCall, "sessionKey">) => State;
  /** Names of the tools that have settings of this plugin. */
  readonly toolsWithOptions: readonly string[];
  /** This plugin's settings of one tool: `undefined` without any, `false` if it is switched off. */
  toolOptions(toolName: string): unknown;
}

/** Describes a value that a plugin stores. */
export interface PluginPutOptions {
  readonly call: RunningCall;
  readonly toolName: string;
  readonly title?: string | undefined;
  /** Ids of the stored outputs that it was made from. */
  readonly derivedFrom?: readonly string[] | undefined;
  /** How its file is laid out. @defaultValue the option of the tool */
  readonly fileFormat?: FileFormat | undefined;
}

import type * as z from "zod";

import type { DescriberInput } from "../describe/describer.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "./artifact.js";
import type { EventDetail, OffloadEvent } from "./events.js";
import type { MediaKind, ShownMedia } from "./media.js";
import type { ToolOutput } from "./output.js";
import type { DescriptorPart, OffloadedOutput, OffloadResult } from "./result.js";

export type { DescriptorPart } from "./result.js";
import type { RunningCall } from "./running-call.js";

/**
 * An optional feature. It is plain data: one object may serve several offloaders, so `setup` makes everything that
 * changes.
 */
export interface OffloadPlugin {
  /** Unique in a list. Settings of one tool have it as their key in `perTool.X.plugins`. */
  readonly name: string;
  /** Checks the settings of one tool, `false` apart. Default: a tool can only have `false`. */
  readonly toolOptions?: z.ZodType;
  /** Called once for each offloader, in the order of the list. What it throws fails the factory. */
  setup(api: PluginApi): PluginHooks;
}

/** What a plug-in does. Each hook is optional, and one that a plug-in has not costs nothing. */
export interface PluginHooks {
  /**
   * Takes out of one text what nobody may see. The core calls it once with each text of an output, before anything
   * else looks at the output, and with each other text that it hands out. Where it throws, gives no text or takes
   * longer than a minute, the output is withheld.
   */
  readonly clean?: Clean;
  /**
   * Wraps the pipeline of one output: it may change the output or the result, or not call `next`. A stream in the
   * output must not be read here. Where it throws before `next`, the pipeline goes on with the unchanged output; where
   * it throws after `next`, the result of `next` holds, and the pipeline runs again if the hook had changed the output.
   */
  wrapOutput?(call: OutputCall, next: NextOutput): Promise<OffloadResult>;
  /** What the descriptor of one stored output says beside what the core says. One that throws says nothing. */
  describe?(input: DescriberInput): DescriptorPart | undefined;
  /** Tools for reading stored outputs that the model has beside read, grep, jq and sql. */
  readonly tools?: readonly DrillInTool[];
  /** Called with each output and its result after everything else; nobody waits for it. */
  onOutput?(call: OutputCall, result: OffloadResult): void;
  /** Called with each event; nobody waits for it. */
  onEvent?(event: OffloadEvent, detail: EventDetail): void;
  /** What an agent of LangChain has of the plug-in: called by `offloadMiddleware` and its like, with their host. */
  agent?(host: never): object;
  /**
   * Called before a call in an agent of LangChain reads what its arguments name: what a store has lost may be stored again. The
   * second argument is the place of the call.
   */
  beforeRead?(args: unknown, at: never): Promise<ReadableArguments>;
  /** What holds where the outputs go to a client of the Model Context Protocol: called once, before the first output. */
  mcp?(host: McpHost): void;
  /** Called when a session ends. The argument is the hashed session. */
  endSession?(sessionKey: string): void | Promise<void>;
  /** Called when the offloader is closed, which waits 10 seconds for it at most. */
  close?(): void | Promise<void>;
}

/** What a call goes on with that reads. */
export interface ReadableArguments {
  readonly args: unknown;
  /** A sentence for the model in place of the answer: what was named is nowhere any more. */
  readonly lost?: string | undefined;
}

/** What the Model Context Protocol says of its clients. */
export interface McpHost {
  /** Kinds of files that results of tools can show. */
  readonly views: readonly MediaKind[];
}

/** Cleans one text: gives the text without what nobody may see, or the same text. */
export type Clean = (text: string, part: TextPart) => string | Promise<string>;

/** What a text is that is cleaned. */
export interface TextPart {
  readonly toolName: string;
  /**
   * `output`: all of the text that a model would read, of data their JSON. `line` and `record`: of a stream, one line
   * without its end, or the JSON of one record; `line` is also a sentence of an MCP server that fails. `block`: a text
   * in a content block beside the text. `arguments` and `artifact`: the JSON of the call's arguments, and of what stands
   * beside an output, such as LangChain's own artifact. `title`: what somebody said that the output is.
   */
  readonly part: "output" | "line" | "record" | "block" | "arguments" | "artifact" | "title";
}

/** One output on its way through the pipeline. */
export interface OutputCall {
  readonly output: ToolOutput;
  readonly call: RunningCall;
  /** Who gave the output: a tool, the user, code by `put`, or a drill-in that made it of stored outputs. */
  readonly source: OutputSource;
}

export type OutputSource = "tool" | "user" | "put" | "derived";

/** The rest of the pipeline. It runs once: a further call gives the same promise. */
export type NextOutput = (call: OutputCall) => Promise<OffloadResult>;

/** A drill-in tool of a plug-in. Its answer is cleaned, cut to the longest answer, and never offloaded. */
export interface DrillInTool {
  /** Its key in `drillIn.names`, where it is renamed or left out. */
  readonly key: string;
  /** @defaultValue `{key}_tool_output` */
  readonly name?: string;
  readonly description: string;
  /** Arguments that do not fit are answered with a sentence that says what is allowed. */
  readonly schema: z.ZodObject;
  /** What it throws is a failed answer. */
  run(
    args: Readonly<Record<string, unknown>>,
    call: RunningCall,
  ): Promise<ToolAnswer | string> | ToolAnswer | string;
}

/** What a tool of a plug-in answers. */
export interface ToolAnswer {
  readonly text: string;
  /** Whether the text says what went wrong. @defaultValue `false` */
  readonly failed?: boolean;
  /** The stored outputs that were read. */
  readonly read?: readonly StoredArtifact[];
  /** What the call has stored. */
  readonly stored?: readonly StoredArtifact[];
  /** A file that the model is shown behind the text. */
  readonly shown?: ShownMedia;
}

/** What a plug-in works with. Nothing of it may be called while `setup` runs. */
export interface PluginApi {
  readonly store: ArtifactStore;
  /** Unix milliseconds. */
  readonly now: () => number;
  countTokens(text: string): Promise<number>;
  /** A text as the `clean` hooks of all plug-ins leave it. @throws {@link OffloadError} with code `REDACT_FAILED` */
  clean(text: string, part: TextPart): Promise<string>;
  emit(event: OffloadEvent, detail?: EventDetail): void;
  /**
   * Stores a value whatever its size. It is cleaned, and passes no `wrapOutput`.
   *
   * @throws {@link OffloadError} with code `STORE_WRITE_FAILED`, also for a value without text; what a stream throws
   */
  put(value: unknown, options: PluginPutOptions): Promise<OffloadedOutput>;
  /** The stored output of that id, file name, path or title, if the call may read it. */
  find(reference: string, call: RunningCall): Promise<StoredArtifact | undefined>;
  /** State in this process, for the latest 1,000 sessions. */
  perSession<State>(create: () => State): (call: Pick<RunningCall, "sessionKey">) => State;
  /** Names of the tools that have settings of this plug-in. */
  readonly toolsWithOptions: readonly string[];
  /** This plug-in's settings of one tool: `undefined` without any, `false` where it is switched off. */
  toolOptions(toolName: string): unknown;
}

/** Where a value belongs that a plug-in stores, and what is said of it. */
export interface PluginPutOptions {
  readonly call: RunningCall;
  readonly toolName: string;
  readonly title?: string | undefined;
  /** Ids of the stored outputs that it was made of. */
  readonly derivedFrom?: readonly string[] | undefined;
}

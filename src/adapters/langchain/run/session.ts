import * as z from "zod";
import { ensureConfig } from "@langchain/core/runnables";
import { randomUUID } from "node:crypto";
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";

import { fieldOf, ownFieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { artifactIdIn, MAX_REFERENCE_CHARACTERS } from "../../../core/store/naming.js";
import type { Access } from "../../../core/types/access.js";

import { OffloadError } from "../../../core/types/errors.js";
import type { OffloadEvent, OffloadListener } from "../../../core/types/events.js";

/** Where a hook, a node or a tool runs, as it is told. */
export interface RunSite {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly context?: unknown;
  /** The state of the graph: messages, or an object with them. */
  readonly state?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Of LangGraph's custom stream. */
  readonly writer?: unknown;
}

/** Where a tool is called, and with what. */
export interface CallSite extends RunSite {
  /** `undefined` where only the message of its output is known. */
  readonly tool: unknown;
  readonly toolName: string;
  /** What the model passed, unchecked. */
  readonly args: unknown;
  readonly toolCallId: string | undefined;
}

/**
 * The site of a tool that was called with this config.
 *
 * @param args - The arguments alone.
 */
export function siteOfTool(
  tool: { readonly name: string },
  args: unknown,
  config: unknown,
): CallSite {
  const given = isRecord(config) ? config : {};
  const { configurable, context, toolCall, state, signal } = given;
  // A tool that is called by another one without a config runs where that one does.
  const run = isRecord(configurable) ? { ...given, configurable } : ensureConfig();
  const id = fieldOf(toolCall, "id");
  return {
    configurable: run.configurable,
    context,
    state,
    signal: signal instanceof AbortSignal ? signal : undefined,
    writer: fieldOf(run, "writer"),
    tool,
    toolName: tool.name,
    args,
    toolCallId: typeof id === "string" ? id : undefined,
  };
}

/** Artifacts of a conversation's state; the oldest go first, and have long expired. */
const MAX_KEPT = 500;
/** Arguments of one call that are looked at for names of artifacts; no drill-in has as many. */
const MAX_ARGUMENTS = 16;

/** Scopes by artifact id: what a conversation may drill into, wherever it is resumed. */
export type ScopesById = Readonly<Record<string, string>>;

/** Adds scopes. */
function mergeScopes(before: ScopesById, added: ScopesById): Record<string, string> {
  const all = Object.entries({ ...before, ...added });
  // Ids begin with their time, so they sort by age.
  return Object.fromEntries(
    all.toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(-MAX_KEPT),
  );
}

/**
 * What the middleware keeps in the agent's state. Names that begin with an underscore are no part of
 * an agent's input and output: nobody but the middleware writes them.
 *
 * `_offloads` is checkpointed with the conversation, so that a thread that was copied, forked or
 * summarized still reaches its artifacts. `_offloadSession` is the session of an invocation without
 * a thread id, `_offloadOwn` that which the application gives the agent in place of its thread.
 */
export const offloadState: StateSchema<{
  _offloadSession: z.ZodOptional<z.ZodString>;
  _offloadOwn: z.ZodOptional<z.ZodString>;
  _offloads: ReducedValue<Record<string, string>, Record<string, string> | undefined>;
}> = new StateSchema({
  _offloadSession: z.string().optional(),
  _offloadOwn: z.string().optional(),
  _offloads: new ReducedValue(
    z.record(z.string(), z.string()).default(() => ({})),
    { reducer: mergeScopes },
  ),
});

/** The session in which a tool was called; `undefined` outside any agent, graph or thread. */
export function sessionOfTool(site: RunSite | undefined): string | undefined {
  return givenSession(site) ?? textIn(site?.state, "_offloadSession");
}

/** The session that the application gave: one of the agent's own, or else the thread. */
export function givenSession(site: RunSite | undefined): string | undefined {
  return textIn(site?.state, "_offloadOwn") ?? threadOf(site);
}

/** What the session that the application gave may read of others. */
export function accessAt(offloader: Offloader, site: RunSite): Access | undefined {
  return internals(offloader).accessOf(givenSession(site), site.context);
}

/** Ids of artifacts among what a model passed, unchecked. */
export function idsIn(args: unknown): string[] {
  return namingTexts(args).flatMap((text) => artifactIdIn(text) ?? []);
}

/**
 * The texts among what a model passed, unchecked, that may name an artifact: of the first few values, those no longer
 * than a path. The work is bounded whatever was passed.
 */
export function namingTexts(args: unknown): string[] {
  const values: unknown[] = typeof args === "object" && args !== null ? firstValues(args) : [args];
  return values.filter((value): value is string => {
    return typeof value === "string" && value.length <= MAX_REFERENCE_CHARACTERS;
  });
}

function firstValues(args: object): unknown[] {
  const values: unknown[] = [];
  for (const name in args) {
    if (values.length === MAX_ARGUMENTS) break;
    values.push(Reflect.get(args, name));
  }
  return values;
}

/** The thread in which a call runs, if the application gave one. */
function threadOf(site: RunSite | undefined): string | undefined {
  return textIn(site?.configurable, "thread_id");
}

/** Whether LangGraph keeps the conversation of a call, so that its messages are there in later runs. */
export function isCheckpointed({ configurable }: Pick<RunSite, "configurable">): boolean {
  return Boolean(configurable?.["__pregel_checkpointer"]);
}

function textIn(value: unknown, name: string): string | undefined {
  const field = ownFieldOf(value, name);
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** An agent that begins to work, as {@link SessionRule} is told. */
export interface SessionStart {
  /** The thread in which it runs, which a sub-agent has from its parent; `undefined` without one. */
  readonly threadId: string | undefined;
  /** What the application passed as `context`. */
  readonly context: unknown;
}

/** Gives an agent the id of a session of its own. What it throws fails the run, before any tool is called. */
export type SessionRule = (start: SessionStart) => string | Promise<string>;

/**
 * What the state of an agent begins with: a session of its own where there is a rule, one for this invocation only where it runs
 * in no thread. @throws what the rule throws
 */
export async function startSession(
  rule: SessionRule | undefined,
  site: RunSite,
): Promise<{ readonly _offloadOwn?: string; readonly _offloadSession?: string } | undefined> {
  const threadId = threadOf(site);
  if (rule === undefined)
    return threadId === undefined ? { _offloadSession: randomUUID() } : undefined;
  const sessionId: unknown = await rule({ threadId, context: site.context });
  if (typeof sessionId === "string" && sessionId !== "") return { _offloadOwn: sessionId };
  throw new OffloadError(
    "INVALID_OPTIONS",
    "`session` of offloadMiddleware has to give the id of a session, a text that is not empty.",
  );
}

/**
 * What overrides the options for one tool call: the run's `configurable.offload`, over its
 * `context.offload`, over the tool's `metadata.offload`. Each is an object with some of `enabled`,
 * `threshold` and `form`, or `false`; it is checked where it is applied.
 */
export function overridesOf({ configurable, context }: RunSite, tool: unknown): unknown {
  const given = [fieldOf(tool, "metadata"), context, configurable].flatMap((of): unknown[] => {
    const overrides = fieldOf(of, "offload") ?? undefined;
    if (typeof overrides === "boolean") return [{ enabled: overrides }];
    // What is neither is kept under a name that no override has, so that a warning shows it.
    if (typeof overrides !== "object")
      return overrides === undefined ? [] : [{ offload: overrides }];
    return overrides === null ? [] : [overrides];
  });
  return given.length === 0 ? undefined : Object.assign({}, ...given);
}

/** A tool's `metadata`, for `include` and `exclude`. */
export function metadataOf(tool: unknown): Readonly<Record<string, unknown>> | undefined {
  const metadata = fieldOf(tool, "metadata");
  return typeof metadata === "object" && metadata !== null ? { ...metadata } : undefined;
}

/**
 * Writes events to LangGraph's custom stream, each under the key `langchain-offload`; an error is
 * told by its message. Does nothing where there is no stream.
 *
 * @param site - The runtime or the config with which a node or a tool was called.
 */
export function customStream(site: unknown): OffloadListener {
  const writer = fieldOf(site, "writer");
  return (event: OffloadEvent) => {
    if (typeof writer !== "function") return;
    const shown = "error" in event ? { ...event, error: String(event.error) } : event;
    Reflect.apply(writer, undefined, [{ "langchain-offload": shown }]);
  };
}

/** The messages of a graph's state, which is a list of them or an object with `messages`. */
export function messagesOf(state: unknown): readonly BaseMessage[] {
  return listIn(state).filter((message) => isBaseMessage(message));
}

/** The same, of which nobody has looked at each: a long conversation costs no more than a short one. */
export function listIn(state: unknown): readonly unknown[] {
  const messages: unknown =
    typeof state === "object" && state !== null && "messages" in state ? state.messages : state;
  return Array.isArray(messages) ? messages : [];
}

import * as z from "zod";
import { ensureConfig } from "@langchain/core/runnables";
import { randomUUID } from "node:crypto";
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";

import { isString, listOf, recordOf, stringOf } from "../../../util/as-kind.js";
import { fieldOf, ownFieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { artifactIdIn, MAX_REFERENCE_CHARACTERS } from "../../../core/store/naming.js";
import type { Access } from "../../../core/types/access.js";

import { refuseOptions } from "../../../core/types/errors.js";
import type { OffloadEvent, OffloadListener } from "../../../core/types/events.js";

export interface RunSite {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly context?: unknown;
  readonly state?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly writer?: unknown;
}

export interface CallSite extends RunSite {
  readonly tool: unknown;
  readonly toolName: string;
  readonly args: unknown;
  readonly toolCallId: string | undefined;
}

/** A function that is called without a config runs with that of its caller. */
export function runOf(given: unknown): RunSite {
  const config = isRecord(fieldOf(given, "configurable")) ? given : ensureConfig();
  return {
    configurable: recordOf(fieldOf(config, "configurable")),
    context: fieldOf(config, "context"),
    writer: fieldOf(config, "writer"),
  };
}

export function siteOfTool(
  tool: { readonly name: string },
  args: unknown,
  config: unknown,
): CallSite {
  const signal = fieldOf(config, "signal");
  return {
    ...runOf(config),
    state: fieldOf(config, "state"),
    signal: signal instanceof AbortSignal ? signal : undefined,
    tool,
    toolName: tool.name,
    args,
    toolCallId: stringOf(fieldOf(fieldOf(config, "toolCall"), "id")),
  };
}

const MAX_KEPT = 500;
const MAX_ARGUMENTS = 16;

export type SessionKeysById = Readonly<Record<string, string>>;

function mergeSessionKeys(before: SessionKeysById, added: SessionKeysById): Record<string, string> {
  const all = Object.entries({ ...before, ...added });
  // Ids begin with their time, so they sort by age.
  const byAge = all.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(byAge.slice(-MAX_KEPT));
}

/**
 * LangChain leaves names with an underscore out of an agent's input and output, so only the middleware writes them.
 * `_offloads` lets a copied, forked or summarized thread still reach its artifacts. `_offloadSession` is the session of
 * an invocation without a thread id, `_offloadOwn` the one that the `session` option returned.
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
    { reducer: mergeSessionKeys },
  ),
});

export function sessionOfTool(site: RunSite | undefined): string | undefined {
  return givenSession(site) ?? textIn(site?.state, "_offloadSession");
}

export function givenSession(site: RunSite | undefined): string | undefined {
  return textIn(site?.state, "_offloadOwn") ?? threadOf(site);
}

export function accessAt(offloader: Offloader, site: RunSite): Access | undefined {
  return internals(offloader).accessOf(givenSession(site), site.context);
}

export function idsIn(args: unknown): string[] {
  return namingTexts(args).flatMap((text) => artifactIdIn(text) ?? []);
}

export function namingTexts(args: unknown): string[] {
  const values: readonly unknown[] =
    typeof args === "object" && args !== null
      ? Object.values(args).slice(0, MAX_ARGUMENTS)
      : [args];
  return values.filter(isString).filter(({ length }) => length <= MAX_REFERENCE_CHARACTERS);
}

function threadOf(site: RunSite | undefined): string | undefined {
  return textIn(site?.configurable, "thread_id");
}

function textIn(value: unknown, name: string): string | undefined {
  const given = ownFieldOf(value, name);
  return typeof given === "number" ? String(given) : stringOf(given) || undefined;
}

/** An agent that begins, as {@link SessionRule} receives it. */
export interface SessionStart {
  /** The thread in which it runs, which a sub-agent inherits from its parent; `undefined` without one. */
  readonly threadId: string | undefined;
  /** What the application passed as `context`. */
  readonly context: unknown;
}

/** Returns the id of a session for an agent. An error it throws fails the run, before any tool is called. */
export type SessionRule = (start: SessionStart) => string | Promise<string>;

/** @throws what the rule throws */
export async function startSession(
  rule: SessionRule | undefined,
  site: RunSite,
): Promise<{ readonly _offloadOwn?: string; readonly _offloadSession?: string } | undefined> {
  const threadId = threadOf(site);
  if (rule === undefined) {
    if (threadId === undefined) return { _offloadSession: randomUUID() };
    // An agent with a rule may have run in this thread.
    return textIn(site.state, "_offloadOwn") ? { _offloadOwn: "" } : undefined;
  }
  // The hook's own runtime has no context but that of the middleware's schema.
  const sessionId: unknown = await rule({ threadId, context: runOf(undefined).context });
  if (typeof sessionId === "string" && sessionId !== "") return { _offloadOwn: sessionId };
  refuseOptions("`session` of offloadMiddleware must return a session id, a non-empty string.");
}

export function overridesOf({ configurable }: RunSite): unknown {
  return configurable?.["offload"];
}

export function customStream(site: unknown): OffloadListener {
  const writer = fieldOf(site, "writer");
  return (event: OffloadEvent) => {
    if (typeof writer !== "function") return;
    const shown = "error" in event ? { ...event, error: String(event.error) } : event;
    Reflect.apply(writer, undefined, [{ "langchain-offload": shown }]);
  };
}

export function messagesOf(state: unknown): readonly BaseMessage[] {
  return listIn(state).filter(isBaseMessage);
}

export function listIn(state: unknown): readonly unknown[] {
  return listOf(fieldOf(state, "messages") ?? state);
}

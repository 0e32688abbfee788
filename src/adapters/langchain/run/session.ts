import { randomUUID } from "node:crypto";

import { ReducedValue, StateSchema } from "@langchain/langgraph";
import * as z from "zod";

import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { artifactIdIn, MAX_REFERENCE_CHARACTERS } from "../../../core/store/naming.js";
import type { Access } from "../../../core/types/access.js";
import { ownFieldOf } from "../../../util/field-of.js";
import type { RunSite } from "./call-site.js";
import type { ScopesById } from "./carried.js";

/** Artifacts of a conversation's state; the oldest go first, and have long expired. */
const MAX_KEPT = 500;
/** Arguments of one call that are looked at for names of artifacts; no drill-in has as many. */
const MAX_ARGUMENTS = 16;

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

/** A session for this invocation only, or nothing when the thread is the session. */
export function startSession(runtime: RunSite): { _offloadSession?: string } | undefined {
  return threadOf(runtime) === undefined ? { _offloadSession: randomUUID() } : undefined;
}

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

/**
 * Id and scope of the artifact that a drill-in names, if the state of the conversation has them. They come from messages of
 * tools, so they count only for what is stored.
 *
 * @param args - What the model passed, unchecked.
 */
export function keptIn(
  state: unknown,
  args: unknown,
): { readonly id: string; readonly scope: string } | undefined {
  const kept = ownFieldOf(state, "_offloads");
  for (const id of idsIn(args)) {
    const scope = textIn(kept, id);
    if (scope) return { id, scope };
  }
  return undefined;
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
export function threadOf(site: RunSite | undefined): string | undefined {
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

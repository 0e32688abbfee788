import { randomUUID } from "node:crypto";

import { ToolMessage } from "@langchain/core/messages";
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import * as z from "zod";

import { artifactIdIn, MAX_REFERENCE_CHARACTERS } from "../../../store/naming.js";
import { ownFieldOf } from "../../../util/field-of.js";
import type { RunSite } from "./call-site.js";
import { type Grants, grantsOf } from "./grant.js";

/** Grants that a conversation carries; the oldest go first, and are of artifacts long expired. */
const MAX_GRANTS = 500;
/** Arguments of one call that are looked at for names of artifacts; no drill-in has as many. */
const MAX_ARGUMENTS = 16;

/** Adds grants, or those of a message that was pushed to the channel. */
function mergeGrants(before: Grants | undefined, added: unknown): Record<string, string> {
  const more = ToolMessage.isInstance(added) ? grantsOf([added]) : grants.parse(added ?? {});
  const all = Object.entries({ ...before, ...more });
  // Ids begin with their time, so they sort by age.
  return Object.fromEntries(
    all.toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(-MAX_GRANTS),
  );
}

const grants = z.record(z.string(), z.string());

const ownSession: z.ZodObject<{
  sessionId: z.ZodString;
  grants: z.ZodOptional<z.ZodArray<z.ZodString>>;
}> = z.object({ sessionId: z.string().min(1), grants: z.array(z.string()).optional() });

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
  _offloadOwn: z.ZodOptional<typeof ownSession>;
  _offloads: ReducedValue<Record<string, string>, unknown>;
}> = new StateSchema({
  _offloadSession: z.string().optional(),
  _offloadOwn: ownSession.optional(),
  _offloads: new ReducedValue(
    grants.default(() => ({})),
    {
      inputSchema: z.unknown(),
      reducer: mergeGrants,
    },
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
  return ownSessionOf(site)?.sessionId ?? threadOf(site);
}

/** The session that the application gave the agent in place of its thread. */
export function ownSessionOf(
  site: RunSite | undefined,
): { readonly sessionId: string; readonly grants: unknown } | undefined {
  const own = ownFieldOf(site?.state, "_offloadOwn");
  const sessionId = textIn(own, "sessionId");
  return sessionId === undefined ? undefined : { sessionId, grants: ownFieldOf(own, "grants") };
}

/**
 * Id and scope of the artifact that a drill-in names, if the conversation of this state was given
 * it. Messages of tools are where grants come from, so a grant counts only if it is of what is stored.
 *
 * @param args - What the model passed, unchecked.
 */
export function grantIn(
  state: unknown,
  args: unknown,
): { readonly id: string; readonly scope: string } | undefined {
  const granted = ownFieldOf(state, "_offloads");
  for (const id of idsIn(args)) {
    const scope = textIn(granted, id);
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

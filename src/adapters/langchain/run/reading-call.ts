import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { RunningCall } from "../../../core/types/running-call.js";
import type { ReadableArguments } from "../../../core/types/plugin.js";
import {
  accessAt,
  givenSession,
  idsIn,
  messagesOf,
  namingTexts,
  type RunSite,
  sessionOfTool,
} from "./session.js";
import type { ReadingStore } from "../../../core/store/artifact-store.js";
import { markOf } from "../aging/messages.js";
import { sessionKeyOf } from "../../../core/store/naming.js";
import { carriedBy, type Pointer, pointerIn, STORED_IN_METADATA } from "./carried.js";
import { fieldOf, ownFieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";

/** Without `call` the site belongs to no session. */
export async function readingCall(
  offloader: Offloader,
  site: RunSite,
  args: unknown,
): Promise<ReadableArguments & { readonly call?: RunningCall }> {
  const { host, core } = internals(offloader);
  let given: ReadableArguments = { args };
  for (const { name, hooks } of host.plugged) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the core, which calls `setup`, knows no such place.
      const changed = (await hooks.beforeRead?.(given.args, site as never)) ?? given;
      if (!isRecord(changed) || !("args" in changed))
        throw new TypeError("beforeRead must return { args }.");
      given = changed;
    } catch (error) {
      host.failed(name, "beforeRead", error);
    }
    if (given.lost !== undefined) break;
  }
  const sessionKey = await sessionKeyOfCall(core.drillIns().store, site, given.args);
  if (sessionKey === undefined) return given;
  const access = accessAt(offloader, site);
  const placeOf = async (named: string): Promise<Pointer> => {
    const { args: found, call } = await readingCall(offloader, site, { id: named });
    return { id: String(fieldOf(found, "id")), sessionKey: call?.sessionKey ?? sessionKey };
  };
  return { ...given, call: { sessionKey, placeOf, access, signal: site.signal } };
}

const MAX_LOOKED_UP = 8;

/**
 * From the conversation's state, else from the thread or session. Without a thread id each run has
 * a new session, so keys that the messages carry come first.
 */
export async function sessionKeyOfCall(
  store: ReadingStore,
  site: RunSite,
  args: unknown,
): Promise<string | undefined> {
  const sessionId = sessionOfTool(site);
  const own = sessionId === undefined ? undefined : sessionKeyOf(sessionId);
  const keys = ownFieldOf(site.state, "_offloads");
  const pointers = idsIn(args).flatMap(
    (id) => pointerIn({ id, sessionKey: ownFieldOf(keys, id) }) ?? [],
  );
  // An agent with its own session may receive messages, and marks, of others.
  const messages = givenSession(site) === undefined ? messagesOf(site.state) : [];
  const carried = messages.flatMap(pointersIn).toReversed();
  const texts = namingTexts(args).map((text) => text.toUpperCase());
  // A filter or pattern may mention other outputs.
  const references = texts.filter((text) => !/[\s"'`|()]/.test(text));
  const named = [references, texts].flatMap((among) =>
    carried.filter(({ id }) => among.some((text) => text.includes(id))),
  );
  return (
    // A store that fails for a named one is reported by the look-up that follows.
    (await firstStored(store, [...pointers, ...named], own, true)) ??
    own ??
    (await firstStored(store, carried, own, false))
  );
}

/**
 * A tool message may claim any key, so one counts only with the id of an existing artifact, expired or not, or if the
 * store fails and `isNamed`.
 */
async function firstStored(
  store: ReadingStore,
  artifacts: readonly Pointer[],
  own: string | undefined,
  isNamed: boolean,
): Promise<string | undefined> {
  for (const { id, sessionKey } of artifacts.slice(0, MAX_LOOKED_UP)) {
    if (sessionKey === own) return own;
    try {
      const found =
        (await store.stat(id, sessionKey)) ?? (await store.statExpired?.(id, sessionKey));
      if (found !== undefined) return sessionKey;
    } catch {
      if (isNamed) return sessionKey;
    }
  }
  return undefined;
}

function pointersIn(message: BaseMessage): readonly Pointer[] {
  const stored = HumanMessage.isInstance(message)
    ? [message.response_metadata?.[STORED_IN_METADATA]]
    : ToolMessage.isInstance(message)
      ? [markOf(message), ...carriedBy(message)]
      : [];
  return stored.flatMap((one) => pointerIn(one) ?? []);
}

export function hasOffloads(state: unknown): boolean {
  const keys = Object.keys(Object(fieldOf(state, "_offloads")));
  return keys.length > 0 || messagesOf(state).some((message) => pointersIn(message).length > 0);
}

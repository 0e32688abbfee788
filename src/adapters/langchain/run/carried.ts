import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand } from "@langchain/langgraph";
import { Channel } from "@langchain/langgraph/pregel";

import type { CarriedArtifact, StoredArtifact } from "../../../core/types/artifact.js";
import { sessionKeyOf } from "../../../core/store/naming.js";
import { stringOf } from "../../../util/as-kind.js";
import { fieldOf } from "../../../util/field-of.js";
import { isName } from "../../../core/store/store-driver.js";
import { toolMessagesAmong, updatesOf, withUpdates } from "../tool/messages.js";
import { offloadState, type RunSite, type SessionKeysById, sessionOfTool } from "./session.js";

export const STORED_IN_METADATA = "langchain-offload";

const MAX_CARRIED = 100;

const written = new WeakMap<object, Record<string, string>>();

/**
 * A tool may claim any artifact, and write any channel, so only pointers to the session of the call
 * count. Drill-ins may store in a session that the conversation was copied from.
 */
export async function recordStored(
  result: ToolMessage | Command,
  site: RunSite,
  isDrillIn: boolean,
): Promise<ToolMessage | Command> {
  const given = isCommand(result) ? updatesOf(result) : [];
  const updates = given.filter(([channel]) => !Object.hasOwn(offloadState.fields, channel));
  const sessionKey = sessionKeyOf(sessionOfTool(site) ?? "");
  const stored = Object.entries(
    sessionKeysIn(isCommand(result) ? toolMessagesAmong(updates) : [result]),
  ).filter(([, key]) => isDrillIn || key === sessionKey);
  const sessionKeys = Object.fromEntries(stored);
  if (stored.length === 0 && updates.length === given.length) return result;
  if (isCommand(result)) return withUpdates(result, [...updates, ["_offloads", sessionKeys]]);
  await writeSessionKeys(sessionKeys, site.configurable);
  return result;
}

/** A node run writes one object, because LangGraph streams a list when a channel is written twice. */
export async function writeSessionKeys(
  sessionKeys: SessionKeysById,
  configurable: RunSite["configurable"] = {},
): Promise<void> {
  const before = written.get(configurable);
  const all = Object.assign(before ?? {}, sessionKeys);
  if (before) return;
  written.set(configurable, all);
  try {
    await Channel.writeTo([], { _offloads: all }).invoke(undefined, { configurable });
  } catch {
    // Outside a graph there is no state, and the session alone gives access.
  }
}

export function sessionKeysIn(messages: readonly ToolMessage[]): SessionKeysById {
  const artifacts = messages.flatMap(carriedBy).filter(isStoredArtifact);
  return Object.fromEntries(artifacts.map(({ id, sessionKey }) => [id, sessionKey]));
}

export function carriedOf({
  recipes: _recipes,
  fields: _fields,
  ...artifact
}: StoredArtifact): CarriedArtifact {
  return artifact;
}

export function carriedBy(message: BaseMessage): readonly unknown[] {
  const { response_metadata: metadata } = message;
  return [
    ...carried(fieldOf(message, "artifact")),
    ...carried(fieldOf(metadata, STORED_IN_METADATA)),
  ];
}

export function carried(artifact: unknown): readonly unknown[] {
  return Array.isArray(artifact) ? artifact.slice(0, MAX_CARRIED) : [artifact];
}

export type Pointer = Pick<StoredArtifact, "id" | "sessionKey">;

export function pointerIn(value: unknown): Pointer | undefined {
  const id = stringOf(fieldOf(value, "id")) ?? "";
  const sessionKey = stringOf(fieldOf(value, "sessionKey")) ?? "";
  return isName(id, sessionKey) ? { id, sessionKey } : undefined;
}

export function isStoredArtifact(value: unknown): value is CarriedArtifact {
  return pointerIn(value) !== undefined && fieldOf(value, "sizeBytes") !== undefined;
}

import { randomUUID } from "node:crypto";

import { ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand, pushMessage } from "@langchain/langgraph";

import type { CarriedArtifact, StoredArtifact } from "../../../types/artifact.js";
import { updatesOf, valuesIn, withUpdates } from "../tool/command-updates.js";

/** Artifacts of one message that count; a tool may have put there what it likes. */
const MAX_CARRIED = 100;

/** Scopes by artifact id: what a conversation may drill into, wherever it is resumed. */
export type ScopesById = Readonly<Record<string, string>>;

/**
 * Writes down in the conversation's state what was offloaded from a tool's result. A message comes
 * back as the same message, so that middleware around this one still sees one; a command comes
 * back with one more update.
 */
export function recordStored(result: ToolMessage | Command): ToolMessage | Command {
  if (isCommand(result)) {
    const messages = messagesIn(result);
    return messages.some(carriesStored)
      ? withUpdates(result, [...updatesOf(result), ["_offloads", scopesIn(messages)]])
      : result;
  }
  if (!carriesStored(result)) return result;
  result.id ??= randomUUID();
  try {
    // The channel takes id and scope out of the message; see `offloadState`.
    pushMessage(result, { stateKey: "_offloads" });
  } catch {
    // Called outside a graph: there is no state, and the session alone gives access.
  }
  return result;
}

function messagesIn(command: Command): ToolMessage[] {
  const values = updatesOf(command).flatMap(([, value]) => valuesIn(value));
  return values.filter((value) => ToolMessage.isInstance(value));
}

/** Scopes of the artifacts that messages carry, by their ids. */
export function scopesIn(messages: readonly ToolMessage[]): ScopesById {
  const artifacts = messages.flatMap(({ artifact }) => carried(artifact)).filter(isStoredArtifact);
  return Object.fromEntries(artifacts.map(({ id, scope }) => [id, scope]));
}

function carriesStored({ artifact }: ToolMessage): boolean {
  return artifact !== undefined && carried(artifact).some(isStoredArtifact);
}

/** A checkpoint has it for as long as the conversation, so it is short: recipes and field names stay in the store. */
export function carriedOf({
  recipes: _recipes,
  fields: _fields,
  ...artifact
}: StoredArtifact): CarriedArtifact {
  return artifact;
}

/** A message carries one artifact, or a list of several. */
export function carried(artifact: unknown): readonly unknown[] {
  return Array.isArray(artifact) ? artifact.slice(0, MAX_CARRIED) : [artifact];
}

/** A tool's own artifact may have fields of these names. */
export function isStoredArtifact(value: unknown): value is CarriedArtifact {
  if (typeof value !== "object" || value === null || !("sizeBytes" in value)) return false;
  if (!("id" in value) || !("scope" in value)) return false;
  const { id, scope } = value;
  return typeof id === "string" && typeof scope === "string" && /^[0-9a-f]{64}$/.test(scope);
}

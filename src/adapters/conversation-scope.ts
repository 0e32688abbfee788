import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types.js";
import { carried } from "./grant.js";
import { STORED_IN_METADATA } from "./human-messages.js";
import { messagesOf } from "./state-messages.js";

/** Artifacts of a conversation that are looked up, the named and the newest ones. */
const MAX_LOOKED_UP = 8;

/**
 * The scope in which a drill-in may look when its conversation has no thread id: that of the stored
 * output that it names, if a tool message of the graph's state carries it, or else of the newest.
 * A tool may have put into its message what it likes, so only what is stored counts; with no such
 * message there is no scope.
 *
 * @param state - The state of the graph that calls the tool: messages, or an object with them.
 * @param args - What the model passed, unchecked.
 */
export async function scopeInConversation(
  store: ArtifactStore,
  state: unknown,
  args: unknown,
): Promise<string | undefined> {
  const newest = messagesOf(state)
    .flatMap((message) => storedArtifactOf(message))
    .toReversed();
  const named = newest.filter((artifact) => isNamedIn(args, artifact));
  for (const artifact of [...named, ...newest].slice(0, MAX_LOOKED_UP)) {
    if (await isStored(store, artifact)) return artifact.scope;
  }
  return undefined;
}

/**
 * Whether a store has an artifact, expired or not. Who knows both its id and its scope may know of
 * the others there; who made them up may not. A store that fails says no.
 */
export async function isStored(
  store: ArtifactStore,
  { id, scope }: Pick<StoredArtifact, "id" | "scope">,
): Promise<boolean> {
  try {
    return ((await store.stat(id, scope)) ?? (await store.statExpired?.(id, scope))) !== undefined;
  } catch {
    return false;
  }
}

type Carried = Pick<StoredArtifact, "id" | "fileName" | "scope">;

function storedArtifactOf(message: BaseMessage): Carried[] {
  if (HumanMessage.isInstance(message)) {
    return storedIn(message.response_metadata?.[STORED_IN_METADATA]);
  }
  return ToolMessage.isInstance(message) ? carried(message.artifact).flatMap(storedIn) : [];
}

function storedIn(artifact: unknown): Carried[] {
  if (typeof artifact !== "object" || artifact === null) return [];
  const [id, fileName, scope] = ["id", "fileName", "scope"].map((key): unknown =>
    Reflect.get(artifact, key),
  );
  const isCarried =
    typeof id === "string" && typeof fileName === "string" && typeof scope === "string";
  return isCarried ? [{ id, fileName, scope }] : [];
}

function isNamedIn(args: unknown, { id, fileName }: Carried): boolean {
  const values: unknown[] =
    typeof args === "object" && args !== null ? Object.values(args) : [args];
  return values.some(
    (value) => typeof value === "string" && (value.includes(id) || value.includes(fileName)),
  );
}

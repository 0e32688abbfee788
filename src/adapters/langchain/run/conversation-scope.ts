import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import type { ReadingStore } from "../../../core/store/artifact-store.js";
import { ARTIFACT_ID_PATTERN } from "../../../core/store/naming.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { carried, STORED_IN_METADATA } from "./carried.js";
import { namingTexts } from "./session.js";
import { messagesOf } from "./state-messages.js";

/** Artifacts of a conversation that are looked up at most. */
const MAX_LOOKED_UP = 8;

/**
 * The scope of the stored output that a drill-in names, if a message of the conversation carries it. A tool may have
 * put into its message what it likes, so only what is stored counts.
 *
 * @param state - The state of the graph that calls the tool: messages, or an object with them.
 * @param args - What the model passed, unchecked.
 */
export async function scopeOfNamed(
  store: ReadingStore,
  state: unknown,
  args: unknown,
): Promise<string | undefined> {
  // Ids are in upper case, and a file name has that of its artifact in it.
  const named = namingTexts(args).join("\n").toUpperCase();
  return await firstStored(
    store,
    carriedIn(state).filter(({ id }) => named.includes(id)),
  );
}

/** The scope of the newest stored output that a message of the conversation carries. */
export async function scopeOfNewest(
  store: ReadingStore,
  state: unknown,
): Promise<string | undefined> {
  return await firstStored(store, carriedIn(state));
}

/** What the messages carry, newest first. */
function carriedIn(state: unknown): readonly Carried[] {
  return messagesOf(state)
    .flatMap((message) => carriedBy(message))
    .toReversed();
}

async function firstStored(
  store: ReadingStore,
  artifacts: readonly Carried[],
): Promise<string | undefined> {
  for (const artifact of artifacts.slice(0, MAX_LOOKED_UP)) {
    if (await isStored(store, artifact)) return artifact.scope;
  }
  return undefined;
}

/**
 * Whether a store has an artifact, expired or not. Who knows both its id and its scope may know of
 * the others there; who made them up may not. A store that fails says no.
 */
export async function isStored(
  store: ReadingStore,
  { id, scope }: Pick<StoredArtifact, "id" | "scope">,
): Promise<boolean> {
  try {
    return ((await store.stat(id, scope)) ?? (await store.statExpired?.(id, scope))) !== undefined;
  } catch {
    return false;
  }
}

/** What finds a stored output. */
export type Carried = Pick<StoredArtifact, "id" | "scope">;

/** Id and scope of what a message of a tool, or of the user, says that it was stored as. */
export function carriedBy(message: BaseMessage): Carried[] {
  if (HumanMessage.isInstance(message)) {
    return storedIn(message.response_metadata?.[STORED_IN_METADATA]);
  }
  return ToolMessage.isInstance(message) ? carried(message.artifact).flatMap(storedIn) : [];
}

function storedIn(artifact: unknown): Carried[] {
  if (typeof artifact !== "object" || artifact === null) return [];
  const [id, scope] = ["id", "scope"].map((key): unknown => Reflect.get(artifact, key));
  const isCarried =
    typeof id === "string" && ARTIFACT_ID_PATTERN.test(id) && typeof scope === "string";
  return isCarried ? [{ id, scope }] : [];
}

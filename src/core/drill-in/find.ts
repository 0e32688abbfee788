import type { JsonObject } from "../../util/is-record.js";
import { withDeadline } from "../../util/abort.js";
import { keepLatest } from "../../util/keep-latest.js";
import { shorten } from "../../util/safe-text.js";
import { mediaWords } from "../content/media/shown-media.js";
import { OWN_NAME } from "../engines/sql/table-names.js";
import type { ReadingStore } from "../store/artifact-store.js";
import { artifactIdIn } from "../store/naming.js";
import { keptTitle } from "../store/new-artifact.js";
import type { StoredArtifact } from "../types/artifact.js";
import { OffloadError } from "../types/errors.js";
import { emit } from "../types/events.js";
import type { RunningCall } from "../types/running-call.js";
import { refusal } from "./answer.js";
import type { DrillInContext, NamedOutput, SeenArtifact, SeenArtifacts } from "./context.js";
import { escapeJson } from "./shown-text.js";

const MAX_LISTED_NAMES = 2;
const MAX_LOOKED_UP = 8;
const LOOK_MS = 2000;

/** Code may have stored it. */
const AGAIN = "If a tool made it, call that tool again.";
const SEALED = `This stored output is encrypted, and cannot be read here. ${AGAIN}`;

/** The output, or the sentence that says why there is none. */
export type FoundOutput = StoredArtifact | string;

/** @throws {@link OffloadError} whatever the store throws. */
type FindOutput = (reference: string) => Promise<FoundOutput>;

type Looking = Pick<DrillInContext, "store" | "seen" | "now" | "onEvent">;

/**
 * Only a valid id reaches the store; no path is opened. Unknown, forged and foreign references get the same answer
 * with a few names.
 */
export function findIn(
  looking: Looking,
  { sessionKey: own, placeOf, access }: RunningCall,
): FindOutput {
  return async (name) => {
    const { id: reference, sessionKey } = (await placeOf?.(name)) ?? { id: name, sessionKey: own };
    const id = artifactIdIn(reference);
    const byId = await lookedUp(looking, id, sessionKey);
    if (byId !== undefined) return byId;
    const newest = looking.seen.newest(sessionKey);
    const title = keptTitle(reference);
    // A title may look like an id.
    const titled = newest.find((artifact) => artifact.title === title);
    let found = await lookedUp(looking, titled?.id, sessionKey);
    const others = found === undefined && id !== undefined && (await access?.(id));
    for (const other of others || []) found ??= await lookedUp(looking, id, other);
    return found ?? (await unknownAnswer(looking, newest));
  };
}

async function lookedUp(
  looking: Looking,
  id: string | undefined,
  sessionKey: string,
): Promise<FoundOutput | undefined> {
  if (id === undefined) return undefined;
  const { store, seen } = looking;
  const storedArtifact = await store.stat(id, sessionKey);
  if (storedArtifact?.sealed !== undefined) return SEALED;
  if (storedArtifact !== undefined) {
    seen.remember(storedArtifact);
    return storedArtifact;
  }
  const gone = seen.recall(id) ?? (await store.statExpired?.(id, sessionKey));
  return gone?.sessionKey === sessionKey ? toldGone(looking, gone) : undefined;
}

/** Reading may prolong its life. */
export async function noteRead(
  { onRead, seen }: DrillInContext,
  artifact: StoredArtifact,
): Promise<void> {
  if (onRead !== undefined) seen.remember(await onRead(artifact));
}

async function unknownAnswer(looking: Looking, newest: readonly StoredArtifact[]): Promise<string> {
  const start = "No stored output has this id or name.";
  const shown = newest
    .slice(0, MAX_LOOKED_UP)
    .map(async (artifact) => ((await isGone(looking, artifact)) ? [] : artifact.fileName));
  const names = (await Promise.all(shown)).flat().slice(0, MAX_LISTED_NAMES);
  return names.length === 0
    ? `${start} Pass it as it stands in this conversation, or call the tool whose output you need.`
    : `${start} The newest of this session: ${names.join(", ")}`;
}

function toldGone({ seen, now, onEvent }: Looking, gone: StoredArtifact): string {
  if (seen.recall(gone.id)?.isEvicted)
    return goneSentence(gone, "was deleted to keep the stored outputs within their size limit");
  if (gone.expiresAt <= now())
    return goneSentence(gone, `expired at ${new Date(gone.expiresAt).toISOString()}`);
  emit(onEvent, { type: "missing", storedArtifact: gone });
  return goneSentence(gone, "was deleted before its time");
}

/** `false` if the store is silent. Never rejects. */
function isGone({ store }: Looking, { id, sessionKey }: StoredArtifact): Promise<boolean> {
  return withDeadline(
    { timeoutMs: LOOK_MS, late: "late" },
    async () => (await store.stat(id, sessionKey)) === undefined,
  ).catch(() => false);
}

/** For an engine that cannot open a body; `undefined` if none is missing, or the store is silent. Never rejects. */
export async function goneAmong(
  looking: Looking,
  artifacts: Iterable<StoredArtifact>,
): Promise<string | undefined> {
  for (const artifact of artifacts)
    if (await isGone(looking, artifact)) return toldGone(looking, artifact);
  return undefined;
}

/** For faults that the model did not cause. Never rejects. */
export async function toldFault(
  looking: Looking,
  error: unknown,
  artifacts: Iterable<StoredArtifact>,
): Promise<string> {
  if (!OffloadError.isInstance(error))
    return `This stored output could not be read because of an internal fault. ${AGAIN}`;
  const isGone = error.code === "ARTIFACT_NOT_FOUND" || error.code === "ARTIFACT_EXPIRED";
  if (!isGone && error.code !== "STORE_READ_FAILED") return error.message;
  return (
    (await goneAmong(looking, artifacts)) ??
    (isGone
      ? `This stored output is gone. ${AGAIN}`
      : `The store did not answer. Try once more. ${AGAIN}`)
  );
}

/** `undefined` if the output can be read as text. */
export function noTextSentence(
  { media, kind, fileName, sizeBytes }: StoredArtifact,
  { names: { view } }: DrillInContext,
): string | undefined {
  if (media === undefined || kind !== "binary") return undefined;
  const what = `${fileName} is ${mediaWords(media, sizeBytes)}: no text and no records, so it cannot be read, searched or queried.`;
  const shown =
    view === undefined
      ? ""
      : ` ${view} ${JSON.stringify({ id: fileName })} shows it if this model takes such files.`;
  return `${what}${shown} Getting text out of it takes another tool.`;
}

const MAX_NAMED = 7;
const NAME = /^[A-Za-z]\w{0,62}$/;
const TAKEN = ["env", OWN_NAME];
const SHOWN_CHARACTERS = 40;

/**
 * Names are case-insensitive, as in SQL.
 *
 * @param named - What the model passed as `with`, unchecked.
 * @param onFound - Called for the first output, before the others are looked up.
 * @throws {@link OffloadError} for an output that is not there, and whatever the store throws.
 */
export async function findOutputs(
  find: FindOutput,
  reference: string,
  named: JsonObject | undefined = {},
  onFound: (artifact: StoredArtifact) => void,
): Promise<{ readonly artifact: StoredArtifact; readonly others: readonly NamedOutput[] }> {
  const findOne = async (given: string, name?: string): Promise<StoredArtifact> => {
    const found = await find(given);
    if (typeof found === "string") throw refusal(name === undefined ? found : `${name}: ${found}`);
    return found;
  };
  const artifact = await findOne(reference);
  onFound(artifact);
  checkNames(Object.keys(named));
  const others: NamedOutput[] = [];
  for (const [name, given] of Object.entries(named)) {
    const other = await findOne(typeof given === "string" ? given : "", name);
    others.push({ name, artifact: other });
  }
  return { artifact, others };
}

function checkNames(names: readonly string[]): void {
  if (names.length > MAX_NAMED)
    throw refusal(
      `The call names ${names.length} further outputs; at most ${MAX_NAMED} can stand beside the first.`,
    );
  const taken = new Set(TAKEN);
  for (const name of names) {
    const key = name.toLowerCase();
    if (!NAME.test(name) || taken.has(key))
      throw refusal(
        `${JSON.stringify(name.slice(0, SHOWN_CHARACTERS))} cannot be the name of an output: use a letter, then letters, digits and _, at most 63 characters, not output or env, and no name twice.`,
      );
    taken.add(key);
  }
}

const MAX_SEEN_ARTIFACTS = 1000;

export function createSeenArtifacts(): SeenArtifacts {
  const seen = new Map<string, SeenArtifact>();
  return {
    remember: (artifact) => keepLatest(seen, artifact.id, artifact, MAX_SEEN_ARTIFACTS),
    recall: (id) => seen.get(id),
    newest: (sessionKey) =>
      [...seen.values()]
        .filter((artifact) => artifact.sessionKey === sessionKey)
        .toReversed()
        .toSorted((one, other) => other.createdAt - one.createdAt),
  };
}

export const LONGEST_WAIT_MS: number = 60_000;

/** Adds a timeout: methods then throw {@link OffloadError} with code `STORE_READ_FAILED`. */
export function answeringStore(store: ReadingStore): ReadingStore {
  const { name, bodies, maxMemoryBytes } = store;
  function inTime<T>(ask: () => Promise<T>): Promise<T> {
    const late = (): OffloadError =>
      new OffloadError(
        "STORE_READ_FAILED",
        `The store ${name} has not answered within ${LONGEST_WAIT_MS} ms. Try again, and check the service behind it.`,
      );
    return withDeadline({ timeoutMs: LONGEST_WAIT_MS, late }, ask);
  }

  return {
    name,
    bodies,
    ...(maxMemoryBytes !== undefined && { maxMemoryBytes }),
    stat: (id, sessionKey) => inTime(() => store.stat(id, sessionKey)),
    statExpired: (id, sessionKey) => inTime(async () => await store.statExpired?.(id, sessionKey)),
    read: (artifact, range) => inTime(() => store.read(artifact, range)),
  };
}

const MAX_NAME_CHARACTERS = 100;
/** A fault has few tokens, and a cut text is no call. */
const MAX_ARGS_BYTES = 100;

/** @param why - Such as `was deleted`. */
function goneSentence(
  { fileName, toolName, args, wasInline }: StoredArtifact,
  why: string,
): string {
  // Repeating an old call may do harm.
  if (wasInline) return lostSentence({ name: fileName, toolName }, why);
  if (args === undefined) return `${fileName} ${why}. ${AGAIN}`;
  const shown = escapeJson(JSON.stringify(args));
  const again = `${fileName} ${why}. If that does no harm, call the tool ${shortName(toolName)} again with the same arguments`;
  return Buffer.byteLength(shown) <= MAX_ARGS_BYTES ? `${again}: ${shown}` : `${again}.`;
}

export function lostSentence(
  { name, toolName }: { readonly name: string; readonly toolName: string },
  why: string,
): string {
  const from = `a call of ${shortName(toolName)} in this conversation`;
  return `${name} ${why}. It came from ${from}, and there is no other copy.`;
}

function shortName(toolName: string): string {
  return escapeJson(JSON.stringify(shorten(toolName, MAX_NAME_CHARACTERS)).slice(1, -1));
}

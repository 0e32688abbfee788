import { createHash } from "node:crypto";

import { OffloadError } from "../errors.js";
import { newArtifact } from "../store/new-artifact.js";
import type { ArtifactStore, NewArtifact } from "../store/artifact-store.js";
import { NOTE_PREFIX, scopeOf } from "../store/naming.js";
import type { Lifetime } from "../lifecycle/lifetime.js";
import { prefixName } from "../store/name-rules.js";
import type { StoredArtifact } from "../types/artifact.js";

/** Whose notes they are. */
export interface NotedRun {
  /** Of no other run of the session. */
  readonly key: string;
  readonly sessionId: string;
}

/**
 * Numbered notes of a run that may be resumed in another process, kept in the store under its session. Each is written
 * once, so of two processes that resume one run only one gets on. None outlives one before it: what is there of a run is
 * what it did first, with nothing missing in between.
 */
export interface RunNotes {
  /** The notes from 0 up. @throws {@link OffloadError} with code `STORE_READ_FAILED` */
  read(run: NotedRun): Promise<readonly string[]>;
  /**
   * Adds a note. All notes of the run then live for `ttlMs` but a twentieth at most, and, where the store cannot move an
   * expiry, as long as the first one.
   *
   * @throws {@link OffloadError} whatever the store throws; with code `STORE_WRITE_FAILED` also where there is a note of
   * this number, and where those before it are gone.
   */
  write(run: NotedRun, number: number, text: string, ttlMs: number): Promise<void>;
  /** Deletes the notes from 0 up to a number, which is not among them. What cannot be deleted expires. */
  delete(run: NotedRun, end: number): Promise<void>;
}

/** What notes are kept with. */
interface NoteParts {
  readonly store: ArtifactStore;
  readonly lifetime: Pick<Lifetime, "checkOpen" | "begin" | "sweep">;
  readonly now: () => number;
}

/** Under this name notes lie in a store. */
const NOTE_TOOL = "code_calls";
const named = prefixName("note");
/** Of Crockford's alphabet, in which ids are written. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_DIGITS = 16;
/** Notes are prolonged when that gains this part of a life, so that writing one seldom writes all. */
const MIN_GAIN = 0.05;

/** Creates the notes of an offloader. */
export function createRunNotes({ store, lifetime, now }: NoteParts): RunNotes {
  const found = (run: NotedRun, number: number): Promise<StoredArtifact | undefined> =>
    store.stat(noteId(run, number), scopeOf(run.sessionId));

  /** When a note of this number is to expire, as those before it then do: they are prolonged, the first one first. */
  async function expiryOf(run: NotedRun, number: number, ttlMs: number): Promise<number> {
    const expiresAt = now() + ttlMs;
    if (number === 0) return expiresAt;
    const latest = await found(run, number - 1);
    if (latest === undefined) throw gone();
    const isLongEnough = expiresAt - latest.expiresAt < MIN_GAIN * ttlMs;
    if (isLongEnough || store.refresh === undefined) return latest.expiresAt;
    for (let before = 0; before < number; before += 1) {
      const isMoved = await store.refresh(noteId(run, before), latest.scope, expiresAt);
      if (!isMoved && (await found(run, before)) === undefined) throw gone();
    }
    return expiresAt;
  }

  async function put(note: NewArtifact, body: Uint8Array): Promise<void> {
    try {
      await store.put(note, [body]);
    } catch (error) {
      // One whose time is over has its number until it is swept.
      const isTaken = await store.stat(note.id, note.scope).catch(() => note);
      if (isTaken !== undefined) throw error;
      await lifetime.sweep();
      await store.put(note, [body]);
    }
  }

  return {
    async read(run) {
      const texts: string[] = [];
      for (;;) {
        const artifact = await found(run, texts.length);
        if (artifact === undefined) return texts;
        texts.push(Buffer.from(await store.read(artifact)).toString("utf8"));
      }
    },
    async write(run, number, text, ttlMs) {
      lifetime.checkOpen();
      const nowMs = now();
      const expiresAt = await expiryOf(run, number, ttlMs);
      const body = Buffer.from(text);
      const { artifact } = newArtifact({
        output: { toolName: NOTE_TOOL, value: text, sessionId: run.sessionId },
        id: noteId(run, number),
        scope: scopeOf(run.sessionId),
        content: {
          kind: "json-document",
          layout: "document",
          encoding: "utf-8",
          body,
          lineCount: 1,
          records: undefined,
        },
        bodyBytes: body.length,
        bodySha256:
          store.bodies === "remote" ? createHash("sha256").update(body).digest("hex") : undefined,
        measurement: { tokens: 0, exact: false, characters: text.length, overLimit: true },
        operation: NOTE_TOOL,
        detail: "full",
        header: false,
        fileName: named,
        schemaVersion: "none",
        recipes: [],
        fields: [],
        nowMs,
        ttlMs: expiresAt - nowMs,
      });
      await put({ ...artifact, onlyCopy: true }, body);
      lifetime.begin(artifact.expiresAt);
    },
    async delete(run, end) {
      const scope = scopeOf(run.sessionId);
      const numbers = Array.from({ length: end }, (_, number) => number);
      // The first one last: a run whose notes begin nowhere has none.
      for (const number of numbers.toReversed()) {
        await store.delete(noteId(run, number), scope).catch(() => false);
      }
    },
  };
}

function gone(): OffloadError {
  const why = "What the run did before is not stored any more.";
  return new OffloadError("STORE_WRITE_FAILED", why);
}

/** The same for the same note, without a time: nobody lists notes by their age. */
function noteId({ key, sessionId }: NotedRun, number: number): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([sessionId, key, number]))
    .digest();
  const digits = [...hash.subarray(0, RANDOM_DIGITS)].map((byte) => DIGITS[byte % DIGITS.length]);
  return NOTE_PREFIX + digits.join("");
}

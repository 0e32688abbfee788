import { createHash } from "node:crypto";

import { newArtifact } from "../store/new-artifact.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import { NOTE_PREFIX, scopeOf } from "../store/naming.js";
import type { Lifetime } from "../lifecycle/lifetime.js";
import { prefixName } from "../store/name-rules.js";

/** Whose notes they are. */
export interface NotedRun {
  /** Of no other run of the session. */
  readonly key: string;
  readonly sessionId: string;
}

/**
 * Numbered notes of a run that may be resumed in another process, kept in the store under its session. Each is written
 * once, so of two processes that resume one run only one gets on.
 */
export interface RunNotes {
  /** The notes from 0 up. @throws {@link OffloadError} with code `STORE_READ_FAILED` */
  read(run: NotedRun): Promise<readonly string[]>;
  /** @throws {@link OffloadError} with code `STORE_WRITE_FAILED`, also where there is a note of this number */
  write(run: NotedRun, number: number, text: string, ttlMs: number): Promise<void>;
  /** Deletes the notes from 0 up to a number, which is not among them. What cannot be deleted expires. */
  delete(run: NotedRun, end: number): Promise<void>;
}

/** What notes are kept with. */
interface NoteParts {
  readonly store: ArtifactStore;
  readonly lifetime: Pick<Lifetime, "checkOpen" | "begin">;
  readonly now: () => number;
}

/** Under this name notes lie in a store. */
const NOTE_TOOL = "code_calls";
const named = prefixName("note");
/** Of Crockford's alphabet, in which ids are written. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_DIGITS = 16;

/** Creates the notes of an offloader. */
export function createRunNotes({ store, lifetime, now }: NoteParts): RunNotes {
  return {
    async read(run) {
      const scope = scopeOf(run.sessionId);
      const texts: string[] = [];
      for (;;) {
        const artifact = await store.stat(noteId(run, texts.length), scope);
        if (artifact === undefined) return texts;
        texts.push(Buffer.from(await store.read(artifact)).toString("utf8"));
      }
    },
    async write(run, number, text, ttlMs) {
      lifetime.checkOpen();
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
        nowMs: now(),
        ttlMs,
      });
      await store.put({ ...artifact, onlyCopy: true }, [body]);
      lifetime.begin();
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

/** The same for the same note, without a time: nobody lists notes by their age. */
function noteId({ key, sessionId }: NotedRun, number: number): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([sessionId, key, number]))
    .digest();
  const digits = [...hash.subarray(0, RANDOM_DIGITS)].map((byte) => DIGITS[byte % DIGITS.length]);
  return NOTE_PREFIX + digits.join("");
}

import { randomUUID } from "node:crypto";

import { hasErrorCode } from "../../core/types/errors.js";
import { artifactIdIn, MAX_REFERENCE_CHARACTERS } from "../../core/store/naming.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { OffloadedOutput } from "../../core/types/result.js";
import { orAborted } from "../../util/abort.js";
import type { Ask } from "../../core/drill-in/ask.js";
import { readAs } from "../../core/engines/data-source.js";
import { offeredTools } from "./request.js";
import { noTextSentence } from "../../core/drill-in/sentences/media-sentence.js";
import type { DrillInContext } from "../../core/drill-in/shared/context.js";
import { findIn } from "../../core/drill-in/shared/named-outputs.js";
import { toldFault } from "../../core/drill-in/shared/told-fault.js";
import type { KeepMade } from "./keep-made.js";
import type { CallableTools, CodeBody, CodeHost, CodeTools, MadeOutput } from "./request.js";

/** What the host is made of beside the call. */
export interface HostParts {
  /** Called and waited for before an artifact is read. */
  readonly onRead?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
  readonly keep?: KeepMade | undefined;
}

/** The host of one run. */
export interface OpenHost {
  readonly host: CodeHost;
  /** What was stored in the run under an id. */
  made(id: string): OffloadedOutput | undefined;
  /** Lets go of what the run has opened. Never rejects. */
  end(): Promise<void>;
}

/** Outputs that one run may name, found or not, and those that it may save. */
const MAX_OPENED = 64;
const MAX_SAVED = 32;

const NOT_STORED = "The store did not take it. Try once more, or save and return less.";

const WITHHELD =
  "It is withheld and not stored: what must not be kept could not be taken out of it. Do not try it again for this reason.";

/** What is said of what code made and did not name. */
const TITLES = { returned: "Value that code returned", printed: "Lines that code printed" };

/**
 * Opens the host of one run: outputs are looked for within the reach of the call, are noted before they are read, and are
 * there until the end; what the code makes is stored in the session of the call.
 */
export function openHost(ask: Ask, context: DrillInContext, parts: HostParts): OpenHost {
  const { call, deeds } = ask;
  const { names, spool } = context;
  const find = findIn(context, call);
  const { signal } = call;
  // What one run stores makes no room at its own cost.
  const { turn = randomUUID() } = call;
  const making = {
    ...call,
    turn,
    toolName: names.code ?? "code",
    args: { code: ask.args.text("code") },
  };
  const codeTools = offeredTools(call);
  const opened = new Map<string, Promise<CodeBody>>();
  const outputs = new Map<string, OffloadedOutput>();
  const held: { isThere: boolean; done: Promise<void> }[] = [];
  let letGo: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (letGo = resolve));
  let savedCount = 0;

  function hold(artifact: StoredArtifact): Promise<CodeBody> {
    const { id, sets } = artifact;
    return new Promise((resolve, reject) => {
      const use = { isThere: false, done: Promise.resolve() };
      use.done = spool
        .with(artifact, signal, async (source) => {
          use.isThere = true;
          resolve({ ...readAs(artifact), id, source, sets });
          await ended;
        })
        .catch(reject);
      held.push(use);
    });
  }

  async function openNew(reference: string): Promise<CodeBody> {
    const own = outputs.get(artifactIdIn(reference) ?? "")?.storedArtifact;
    const found = own === undefined ? await find(reference) : { storedArtifact: own };
    const { storedArtifact } = found;
    if (storedArtifact === undefined) throw new Error(found.problem);
    deeds.read.set(storedArtifact.id, storedArtifact);
    const noText = noTextSentence(storedArtifact, context, call);
    if (noText !== undefined) throw new Error(noText);
    try {
      await parts.onRead?.(storedArtifact);
      return await hold(storedArtifact);
    } catch (error) {
      throw new Error(await toldFault(context, error, [storedArtifact]), { cause: error });
    }
  }

  async function open(given: string): Promise<CodeBody> {
    // Nothing longer names an output.
    const reference = given.slice(0, MAX_REFERENCE_CHARACTERS + 1);
    const before = opened.get(reference);
    if (before !== undefined) return await before;
    if (opened.size === MAX_OPENED) {
      throw new Error(`One call opens at most ${MAX_OPENED} outputs; open the others in another.`);
    }
    const body = openNew(reference);
    opened.set(reference, body);
    return await body;
  }

  async function keep({ from, pieces }: MadeOutput): Promise<string> {
    if (typeof from === "object" && savedCount === MAX_SAVED) {
      throw new Error(`One call saves at most ${MAX_SAVED} outputs; put more into each.`);
    }
    if (typeof from === "object") savedCount += 1;
    if (parts.keep === undefined) throw new Error("Nothing can be stored here; return less.");
    const made = {
      title: typeof from === "object" ? from.savedAs : TITLES[from],
      value: pieces,
      derivedFrom: [...deeds.read.keys()],
    };
    const kept = await stored(parts.keep, made, making);
    const { storedArtifact } = kept;
    if (!outputs.has(storedArtifact.id)) deeds.kept.push(storedArtifact);
    outputs.set(storedArtifact.id, kept);
    return storedArtifact.id;
  }

  return {
    host: { open, keep, tools: codeTools && readingTools(codeTools, openNew) },
    made: (id) => outputs.get(id),
    async end() {
      letGo?.();
      // What its store has never handed over is not waited for.
      await Promise.all(held.filter(({ isThere }) => isThere).map(({ done }) => done));
    },
  };
}

/** Stores what code has made; what a store has thrown is in words that tell the model what to do. */
async function stored(keep: KeepMade, ...made: Parameters<KeepMade>): Promise<OffloadedOutput> {
  try {
    return await orAborted(keep(...made), made[1].signal);
  } catch (error) {
    if (hasErrorCode(error, "REDACT_FAILED")) throw new Error(WITHHELD, { cause: error });
    if (!hasErrorCode(error, "STORE_WRITE_FAILED")) throw error;
    throw new Error(NOT_STORED, { cause: error });
  }
}

/** The same tools, for an engine: it gets the data of what was stored. */
function readingTools(
  tools: CallableTools,
  open: (reference: string) => Promise<CodeBody>,
): CodeTools {
  return {
    names: tools.names,
    async call(call) {
      const result = await tools.call(call);
      return "storedId" in result ? { body: await open(result.storedId) } : result;
    },
  };
}

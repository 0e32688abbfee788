import { randomUUID } from "node:crypto";

import type { Ask, DrillInContext } from "../../core/drill-in/context.js";
import { findIn, noTextSentence, toldFault } from "../../core/drill-in/find.js";
import { readAs } from "../../core/engines/data-source.js";
import { artifactIdIn, MAX_REFERENCE_CHARACTERS } from "../../core/store/naming.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { hasErrorCode } from "../../core/types/errors.js";
import type { OffloadedOutput } from "../../core/types/result.js";
import { orAborted } from "../../util/abort.js";
import type { KeepMade } from "./keep-made.js";
import {
  type CodeBody,
  type CodeHost,
  type CodeToolCall,
  type CodeToolResult,
  type MadeOutput,
  offeredTools,
} from "./request.js";

/** What the host is made of beside the call. */
export interface HostParts {
  readonly keep?: KeepMade | undefined;
}

/** The host of one run. */
export interface OpenHost {
  readonly host: CodeHost;
  /** What was stored in the run under an id. */
  made(id: string): OffloadedOutput | undefined;
  /** Lets go of what the run has opened. */
  end(): void;
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
  const { signal } = call;
  const { names, spool } = context;
  const find = findIn(context, call);
  const making = {
    ...call,
    // What one run stores makes no room at its own cost.
    turn: call.turn ?? randomUUID(),
    toolName: names.code ?? "code",
    args: { code: ask.args.text("code") },
  };
  const tools = offeredTools(call);
  const opened = new Map<string, Promise<CodeBody>>();
  const outputs = new Map<string, OffloadedOutput>();
  let letGo: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (letGo = resolve));
  let savedCount = 0;

  /** Gives a body that is there until the end of the run. */
  async function hold(artifact: StoredArtifact): Promise<CodeBody> {
    const { id, sets } = artifact;
    return await new Promise((resolve, reject) => {
      const done = spool.with(artifact, signal, (source) => {
        resolve({ ...readAs(artifact), id, source, sets });
        return ended;
      });
      done.catch(reject);
    });
  }

  async function openNew(reference: string): Promise<CodeBody> {
    const own = outputs.get(artifactIdIn(reference) ?? "")?.storedArtifact;
    const found = own === undefined ? await find(reference) : { storedArtifact: own };
    const { storedArtifact } = found;
    if (storedArtifact === undefined) throw new Error(found.problem);
    deeds.read.set(storedArtifact.id, storedArtifact);
    const noText = noTextSentence(storedArtifact, context);
    if (noText !== undefined) throw new Error(noText);
    try {
      await context.onRead?.(storedArtifact);
      return await hold(storedArtifact);
    } catch (error) {
      throw new Error(await toldFault(context, error, [storedArtifact]), { cause: error });
    }
  }

  async function open(given: string): Promise<CodeBody> {
    // Nothing longer names an output.
    const reference = given.slice(0, MAX_REFERENCE_CHARACTERS + 1);
    const before = opened.get(reference);
    if (before === undefined && opened.size === MAX_OPENED)
      throw new Error(`One call opens at most ${MAX_OPENED} outputs; open the others in another.`);
    const body = before ?? openNew(reference);
    opened.set(reference, body);
    return await body;
  }

  async function keep({ from, pieces }: MadeOutput): Promise<string> {
    const isSaved = typeof from === "object";
    if (isSaved && savedCount === MAX_SAVED)
      throw new Error(`One call saves at most ${MAX_SAVED} outputs; put more into each.`);
    if (isSaved) savedCount += 1;
    if (parts.keep === undefined) throw new Error("Nothing can be stored here; return less.");
    const title = isSaved ? from.savedAs : TITLES[from];
    const made = { title, value: pieces, derivedFrom: [...deeds.read.keys()] };
    const kept = await orAborted(parts.keep(made, making), signal).catch((error: unknown) => {
      throw toldOf(error);
    });
    const { storedArtifact } = kept;
    if (!outputs.has(storedArtifact.id)) deeds.kept.push(storedArtifact);
    outputs.set(storedArtifact.id, kept);
    return storedArtifact.id;
  }

  async function callTool(call: CodeToolCall): Promise<CodeToolResult> {
    const result = (await tools?.call(call)) ?? { error: "This run has no tools." };
    return "storedId" in result ? { body: await openNew(result.storedId) } : result;
  }

  return {
    host: { open, keep, tools: tools && { names: tools.names, call: callTool } },
    made: (id) => outputs.get(id),
    end: () => letGo?.(),
  };
}

/** What a store has thrown, in words that tell the model what to do. */
function toldOf(error: unknown): unknown {
  if (hasErrorCode(error, "REDACT_FAILED")) return new Error(WITHHELD, { cause: error });
  return hasErrorCode(error, "STORE_WRITE_FAILED")
    ? new Error(NOT_STORED, { cause: error })
    : error;
}

import { randomUUID } from "node:crypto";

import { refusal } from "../../core/drill-in/answer.js";
import type { Ask, DrillInContext } from "../../core/drill-in/context.js";
import {
  findIn,
  findOutputs,
  noteRead,
  noTextSentence,
  toldFault,
} from "../../core/drill-in/find.js";
import { readAs } from "../../core/engines/data-source.js";
import { MAX_REFERENCE_CHARACTERS } from "../../core/store/naming.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { hasErrorCode } from "../../core/types/errors.js";
import type { PluginApi } from "../../core/types/plugin.js";
import type { OffloadedOutput } from "../../core/types/result.js";
import { orAborted } from "../../util/abort.js";
import { type CodeBody, type CodeHost, type MadeOutput, offeredTools } from "./request.js";

export interface OpenHost extends CodeHost {
  made(id: string): OffloadedOutput | undefined;
  readonly saved: readonly { readonly id: string; readonly name: string }[];
  end(): void;
}

/** Results of tools are among them. */
const MAX_OPENED = 256;
const MAX_SAVED = 32;

const NOT_STORED = "The store did not take it. Try once more, or save and return less.";
const WITHHELD =
  "It is withheld and not stored, because redacting it failed. Do not try again for this reason.";

const TITLES = { returned: "Value that code returned", printed: "Lines that code printed" };

/** Outputs are recorded before they are read, and held until the run ends. */
export function openHost(
  { call, accessLog, args }: Ask,
  context: DrillInContext,
  api: PluginApi,
): OpenHost {
  const { signal } = call;
  const { names, bodyCache } = context;
  const find = findIn(context, call);
  const toolName = names.code ?? "code";
  // Outputs of one run must not reduce its own answer.
  const turn = call.turn ?? randomUUID();
  const making = { ...call, turn, toolName, args: { code: args.text("code") } };
  const tools = offeredTools(call);
  const outputs = new Map<string, OffloadedOutput>();
  const saved: { id: string; name: string }[] = [];
  let letGo: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (letGo = resolve));
  let openedCount = 0;
  let savedCount = 0;

  async function hold(artifact: StoredArtifact): Promise<CodeBody> {
    const { id, sets } = artifact;
    return await new Promise((resolve, reject) => {
      const done = bodyCache.with(artifact, signal, (source) => {
        resolve({ ...readAs(artifact), id, source, sets });
        return ended;
      });
      done.catch(reject);
    });
  }

  async function openBody(reference: string): Promise<CodeBody> {
    const opened: StoredArtifact[] = [];
    try {
      const { artifact } = await findOutputs(find, reference, {}, (found) => {
        accessLog.read.set(found.id, found);
        opened.push(found);
      });
      const noText = noTextSentence(artifact, context);
      if (noText !== undefined) throw refusal(noText);
      await noteRead(context, artifact);
      return await hold(artifact);
    } catch (error) {
      throw new Error(await toldFault(context, error, opened), { cause: error });
    }
  }

  async function store({ from, pieces }: MadeOutput): Promise<OffloadedOutput> {
    const { savedAs: title, fileFormat } =
      typeof from === "object" ? from : { savedAs: TITLES[from] };
    const about = {
      title,
      fileFormat,
      derivedFrom: [...accessLog.read.keys()],
      call: making,
      toolName,
    };
    try {
      return await orAborted(api.put(pieces, about), signal);
    } catch (error) {
      if (hasErrorCode(error, "REDACT_FAILED")) throw new Error(WITHHELD, { cause: error });
      if (hasErrorCode(error, "STORE_WRITE_FAILED")) throw new Error(NOT_STORED, { cause: error });
      throw error;
    }
  }

  return {
    async open(reference) {
      if ((openedCount += 1) > MAX_OPENED)
        throw new Error(
          `One call opens at most ${MAX_OPENED} outputs; open the others in another.`,
        );
      // No name of an output is longer.
      return await openBody(reference.slice(0, MAX_REFERENCE_CHARACTERS + 1));
    },
    async keep(made) {
      if (typeof made.from === "object" && (savedCount += 1) > MAX_SAVED)
        throw new Error(`One call saves at most ${MAX_SAVED} outputs; put more into each.`);
      const kept = await store(made);
      const { storedArtifact } = kept;
      if (!outputs.has(storedArtifact.id)) accessLog.kept.push(storedArtifact);
      outputs.set(storedArtifact.id, kept);
      if (typeof made.from === "object")
        saved.push({ id: storedArtifact.id, name: made.from.savedAs });
      return storedArtifact.id;
    },
    tools: tools && {
      ...tools,
      call: (asked) => tools.call({ ...asked, turn }),
    },
    made: (id) => outputs.get(id),
    saved,
    end: () => letGo?.(),
  };
}

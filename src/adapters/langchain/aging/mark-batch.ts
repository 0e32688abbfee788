import type { ToolMessage } from "@langchain/core/messages";

import { type Gist, gistOfCount } from "../../../plugins/aging/gist.js";
import { stubOf } from "../../../plugins/aging/stub.js";
import type { ResolvedAgingOptions } from "../../../plugins/aging/aging-options.js";
import type { ReadingStore } from "../../../core/store/artifact-store.js";
import type { CarriedArtifact, StoredArtifact } from "../../../core/types/artifact.js";
import { idsIn } from "../run/session.js";
import { describedArtifact } from "./messages/descriptor.js";
import type { Keep } from "./kept-results.js";
import { MAX_STUB_TOKENS, type AgedMark } from "./messages/mark.js";
import type { KnownCall } from "./messages/answered-calls.js";
import { messageTokens } from "../model-call/message-tokens.js";
import { resultText } from "./messages/result-text.js";

/** What marks are made with. */
export interface MarkParts {
  readonly keep: Keep;
  readonly store: ReadingStore;
  readonly count: (text: string) => Promise<number>;
  /** The call of the read tool that gives an output whole. */
  readonly readCall: (artifact: CarriedArtifact) => string;
  readonly ownTools: ReadonlySet<string>;
  readonly mode: ResolvedAgingOptions["mode"];
  /** How long what is stored has to live at least, in milliseconds. */
  readonly lifeMs: number | undefined;
}

/**
 * The mark of a result that leaves, after it was stored where it has to be. `undefined` for what cannot leave.
 *
 * @throws what the store throws.
 */
export async function markFor(
  message: ToolMessage,
  call: KnownCall | undefined,
  sessionId: string,
  parts: MarkParts,
): Promise<AgedMark | undefined> {
  const { count, readCall, mode } = parts;
  const toolName = message.name ?? call?.name ?? "tool";
  const replaced = mode === "replace" || undefined;

  async function marked(about: {
    readonly gist: Gist;
    readonly call: string;
    readonly tokens: number;
    readonly stored?: Pick<StoredArtifact, "id" | "scope"> | undefined;
  }): Promise<AgedMark> {
    const stub = await stubOf({ toolName, ...about }, count, MAX_STUB_TOKENS);
    const { id, scope } = about.stored ?? {};
    const savedTokens = Math.max(0, messageTokens(message) - MAX_STUB_TOKENS);
    return {
      stub,
      savedTokens,
      ...(id && { id }),
      ...(scope && { scope }),
      ...(replaced && { replaced }),
    };
  }

  if (parts.ownTools.has(toolName)) {
    // A copy of a copy would have another name each time; asking again changes nothing.
    return await marked({
      gist: {},
      call: againCall(call?.args),
      tokens: messageTokens(message),
    });
  }
  const described = describedArtifact(message);
  if (described !== undefined) {
    const { id, scope, recordCount, tokens } = described;
    const about = { gist: gistOfCount(recordCount), tokens };
    const isThere = (await parts.store.stat(id, scope)) !== undefined;
    if (!isThere) return await marked({ ...about, call: "It is not stored any more" });
    return await marked({ ...about, call: readCall(described), stored: described });
  }
  const text = resultText(message);
  if (text === undefined) return undefined;
  const result = {
    text,
    toolName,
    toolCallId: message.tool_call_id,
    args: call?.args,
    sessionId,
    isOnlyCopy: mode === "replace",
    lifeMs: parts.lifeMs,
  };
  // Of an envelope the records are its blocks, which say nothing.
  const words = typeof message.content === "string" ? undefined : message.text;
  const { storedArtifact, gist } = await parts.keep(result, words);
  const { tokens } = storedArtifact;
  return await marked({ gist, call: readCall(storedArtifact), tokens, stored: storedArtifact });
}

/** The call of an answer of this library's tools. What it read may be gone, so the stub does not say that it works again. */
function againCall(args: KnownCall["args"] | undefined): string {
  const [id] = idsIn(args);
  return id === undefined ? "Its call stands above" : `Its call on ${id} stands above`;
}

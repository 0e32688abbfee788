import type { JournalSession } from "../../../plugins/journal/session.js";
import type { SessionDetail, ToolShare } from "../../wire.js";
import { about, counted, grouped, shownLine, tokens } from "../format.js";
import { shares } from "../shares.js";
import { wordOf } from "./parts-of-context.js";

/** Parts and tools that a sentence names. */
const NAMED = 3;

/** What all calls of the model read together, and which parts were most of it. */
export function filledWords(
  { calls, partTokens }: SessionDetail,
  { inputTokens }: JournalSession,
): string {
  if (calls === 0) return "No call of the model is in the journal.";
  const parts = Object.entries(partTokens).toSorted(([, one], [, other]) => other - one);
  const percents = shares(parts.map(([, tokens]) => tokens));
  const most = parts
    .slice(0, NAMED)
    .map(([part], place) => `${wordOf(part).toLowerCase()} ${percents[place]} %`);
  return `In ${counted(calls, "call")} the model read ${about(inputTokens.withTokens)} tokens, its whole context in each${parts.length > NAMED ? ", mostly" : ":"} ${most.join(", ")}.`;
}

/** The tools whose outputs took most of the context, each output counted once. */
export function broughtWords({ tools }: SessionDetail): string {
  const brought = tools
    .map((tool) => ({ ...tool, tokens: (tool.tokensSeen ?? 0) + (tool.tokensRead ?? 0) }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((one, other) => other.tokens - one.tokens);
  if (brought.length === 0) return "";
  const words = brought
    .slice(0, NAMED)
    .map((tool) => `${nameOf(tool)} ${tokens(tool.tokens, tool.estimated !== "seen")}`);
  return `By tool, each output counted once: ${words.join(", ")}.`;
}

/** What was stored in place of standing in the context, and what that saved. */
export function keptOutWords(
  { tools, calls }: SessionDetail,
  { counts, offloadedTokens, agedResults, freedTokens, inputTokens }: JournalSession,
): string {
  const stored = counts.offloaded ?? 0;
  const { withTokens, withoutTokens } = inputTokens;
  const sentences: string[] = [];
  if (calls > 0 && withoutTokens > withTokens) {
    const percent = Math.round((100 * (withoutTokens - withTokens)) / withoutTokens);
    sentences.push(
      `${percent} % of the ${about(withoutTokens)} tokens that the same calls would have read without this library.`,
    );
  }
  if (stored > 0) {
    const kept = tools.filter(({ offloaded }) => offloaded > 0).slice(0, NAMED);
    sentences.push(
      `${counted(stored, "output")} with ${tokens(offloadedTokens, isCounted(tools))}, of ${kept.map(nameOf).join(", ")}.`,
    );
  } else sentences.push("No output was stored when it came.");
  if (agedResults > 0) {
    sentences.push(
      `${counted(agedResults, "result")} went stale: a line stands for each, which took ${tokens(freedTokens, false)} out of the context.`,
    );
  }
  return sentences.join(" ");
}

/** What was stored when it came, and never read. */
export function unreadWords({ tools }: SessionDetail, { counts }: JournalSession): string {
  const stored = counts.offloaded ?? 0;
  if (stored === 0) return "Nothing: every output stood in the context whole when it came.";
  const unread = tools.filter(({ neverRead = 0 }) => neverRead > 0);
  const outputs = unread.reduce((sum, { neverRead = 0 }) => sum + neverRead, 0);
  if (outputs === 0) {
    return stored === 1
      ? "Nothing: the stored output was read, at least in part."
      : `Nothing: each of the ${grouped(stored)} stored outputs was read, at least in part.`;
  }
  const all = unread.reduce((sum, { neverReadTokens = 0 }) => sum + neverReadTokens, 0);
  const [first, ...others] = unread.toSorted(
    (one, other) => (other.neverReadTokens ?? 0) - (one.neverReadTokens ?? 0),
  );
  const whose =
    first === undefined ? "" : `${others.length > 0 ? " most of them" : ""} of ${nameOf(first)}`;
  return `${grouped(outputs)} of ${counted(stored, "stored output")}, with ${tokens(all, isCounted(unread))},${whose}. The model saw only a short text in place of ${outputs === 1 ? "it" : "each"}.`;
}

/** Whether the tokens of all stored outputs are. */
export function isCounted(tools: readonly ToolShare[]): boolean {
  return tools.every(({ offloaded, estimated }) => offloaded === 0 || estimated === undefined);
}

function nameOf({ toolName }: ToolShare): string {
  return shownLine(toolName, 60);
}

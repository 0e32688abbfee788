import { fillOf, firstWithin } from "../measure/size-limit.js";

/** A result of the conversation, as the ledger sees it. */
export interface LedgerResult {
  readonly toolName: string;
  /** Tokens that it takes in the context. */
  readonly tokens: number;
  /** Answers of the model since. */
  readonly turnsAgo: number;
  /** Tokens that the context is smaller by since it left; `undefined` while it stays. */
  readonly savedTokens?: number | undefined;
}

/** What the ledger is of. */
export interface LedgerParts {
  readonly usedTokens: number;
  readonly windowTokens: number | undefined;
  /** Above this size stale results leave. */
  readonly triggerTokens: number;
  /** Oldest first. */
  readonly results: readonly LedgerResult[];
  /** The tool that gives back what has left. */
  readonly readTool: string;
}

/** Most tokens of a ledger. */
export const MAX_LEDGER_TOKENS = 110;

/** From this part of the trigger on there is something to tell. */
export const LEDGER_FRACTION = 0.8;
/** Results from one ledger to the next, at least. */
export const LEDGER_RESULTS = 10;

const RECENT_TURNS = 5;
const LATER_TURNS = 20;
const MAX_LARGEST = 3;
const LARGE_TOKENS = 500;
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,24}$/;

/**
 * What the model is told of its context: how full it is, which results fill it by their age, the oldest large ones, what has left and how it
 * comes back, and when more leaves. At most 110 tokens; numbers are rounded. Equal parts give equal text.
 */
export async function ledgerText(
  parts: LedgerParts,
  count: (text: string) => Promise<number>,
): Promise<string> {
  const [used, results, aged, largest, leaving] = sentences(parts);
  const candidates = [
    [used, results, aged, largest, leaving],
    [used, results, aged, leaving],
    [used, aged, leaving],
    [used],
  ].map((shown) => `[context: ${shown.filter((one) => one !== "").join(" ")}]`);
  return (await firstWithin(candidates, fillOf({ tokens: MAX_LEDGER_TOKENS }, count), 1)) ?? "";
}

function sentences(parts: LedgerParts): readonly string[] {
  const { usedTokens, windowTokens, triggerTokens, results, readTool } = parts;
  const inline = results.filter(({ savedTokens }) => savedTokens === undefined);
  const gone = results.filter(({ savedTokens }) => savedTokens !== undefined);
  const between = (least: number, most: number): number =>
    sum(inline.filter(({ turnsAgo }) => turnsAgo >= least && turnsAgo < most));
  const ages = [
    `last ${RECENT_TURNS} turns ${short(between(0, RECENT_TURNS))}`,
    `up to ${LATER_TURNS} turns ${short(between(RECENT_TURNS, LATER_TURNS))}`,
    `older ${short(between(LATER_TURNS, Infinity))}`,
  ];
  const old = inline.filter(({ turnsAgo }) => turnsAgo >= RECENT_TURNS);
  const large = old.filter(({ tokens }) => tokens >= LARGE_TOKENS).slice(0, MAX_LARGEST);
  const left =
    windowTokens === undefined ? "" : `, ${short(Math.max(0, windowTokens - usedTokens))} left`;
  const of = windowTokens === undefined ? "" : ` of ${short(windowTokens)}`;
  const saved = gone.reduce((total, { savedTokens = 0 }) => total + savedTokens, 0);
  return [
    `${short(usedTokens)}${of} tokens used${left}.`,
    `Tool results ${short(sum(inline))}: ${ages.join(", ")}.`,
    gone.length === 0
      ? ""
      : `${gone.length} aged (${short(saved)} saved, ${readTool} gives them back).`,
    large.length === 0
      ? ""
      : `Oldest large: ${large.map((one) => `${named(one)} ${short(one.tokens)}`).join(", ")}.`,
    `Old results leave above ${short(triggerTokens)}; note what you still need.`,
  ];
}

function sum(results: readonly LedgerResult[]): number {
  return results.reduce((total, { tokens }) => total + tokens, 0);
}

/** A tool may be called anything. */
function named({ toolName }: LedgerResult): string {
  return PLAIN_NAME.test(toolName) ? toolName : "a tool";
}

/** `900`, `1.3k`, `61k`. */
function short(tokens: number): string {
  const hundreds = Math.round(tokens / 100);
  if (hundreds < 10) return String(hundreds * 100);
  return hundreds < 100 ? `${(hundreds / 10).toFixed(1)}k` : `${Math.round(tokens / 1_000)}k`;
}

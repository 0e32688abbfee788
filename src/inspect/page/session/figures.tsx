import type { VNode } from "preact";

import type { LedgerPoint, SessionDetail } from "../../wire.js";
import { bytes, counted, grouped, ratio, tokens } from "../format.js";
import { wordOf } from "./parts-of-context.js";

/** The answer to the first questions, in a sentence and a few figures. */
export function Figures(props: {
  readonly detail: SessionDetail;
  readonly hasJournal: boolean;
}): VNode {
  const { row, calls, ledger, tools } = props.detail;
  const last = ledger.at(-1);
  const { journal } = row;
  if (journal === undefined) return <WithoutJournal {...props} />;
  const { lastContext, counts, offloadedTokens, descriptorTokens, answerTokens } = journal;
  const { agedResults, freedTokens } = journal;
  // The journal names a thousand at most.
  const unread = tools.reduce((sum, { neverRead = 0 }) => sum + neverRead, 0);
  const offloaded = counts.offloaded ?? 0;
  const times = lastContext && ratio(lastContext.withoutTokens, lastContext.withTokens);
  return (
    <>
      <p class="lead">
        {lastContext
          ? `At the last of ${counted(calls, "call")} the model read ${tokens(lastContext.withTokens)}; with every output whole it would have been ${grouped(lastContext.withoutTokens)}${times ? `, ${times} as many` : ""}. `
          : ""}
        {last && largestWords(last)}
        {offloaded === 0
          ? "No output was large enough to be stored when it came. "
          : unread === 0
            ? `Of ${counted(offloaded, "stored output")} each was read. `
            : `${grouped(unread)} of ${counted(offloaded, "stored output")} ${unread === 1 ? "was" : "were"} never read. `}
        {agedResults > 0 &&
          `${counted(agedResults, "result")} went stale and left the context, which freed ${tokens(freedTokens)}.`}
      </p>
      <dl class="figures">
        {lastContext && (
          <Figure name="Context, last call" value={grouped(lastContext.withTokens)} unit="tokens" />
        )}
        {lastContext && (
          <Figure
            name="Without offloading"
            value={grouped(lastContext.withoutTokens)}
            unit="tokens"
          />
        )}
        <Figure
          name="Stored instead"
          value={grouped(offloadedTokens)}
          unit={`tokens in ${counted(offloaded, "output")}`}
        />
        <Figure name="Descriptors" value={grouped(descriptorTokens)} unit="tokens in their place" />
        <Figure
          name="Read back"
          value={grouped(answerTokens)}
          unit={`tokens in ${counted(counts["drilled-in"] ?? 0, "read")}`}
        />
        <Figure
          name="Never read"
          value={grouped(unread)}
          unit={`of ${counted(offloaded, "output")}`}
        />
        {agedResults > 0 && (
          <Figure
            name="Left when stale"
            value={grouped(freedTokens)}
            unit={`tokens in ${counted(agedResults, "result")}`}
          />
        )}
      </dl>
    </>
  );
}

/** The two parts that fill most of a context. */
function largestWords({ parts, contextTokens }: LedgerPoint): string {
  const largest = Object.entries(parts).toSorted(([, one], [, other]) => other - one);
  const share = (tokens: number): number => Math.round((100 * tokens) / Math.max(1, contextTokens));
  const words = largest
    .slice(0, 2)
    .map(([part, tokens]) => `${wordOf(part).toLowerCase()} ${share(tokens)} %`);
  return `Most of the context: ${words.join(", ")}. `;
}

function WithoutJournal({
  detail,
  hasJournal,
}: {
  readonly detail: SessionDetail;
  readonly hasJournal: boolean;
}): VNode {
  const { outputs, tokens: all, sizeBytes } = detail.row;
  return (
    <>
      <p class="lead">
        {counted(outputs, "output")} with {bytes(sizeBytes)} {outputs === 1 ? "is" : "are"} stored:{" "}
        {tokens(all)} that did not enter the context as they came.
      </p>
      <p class="note">
        {hasJournal
          ? "The journal has nothing of this session, so what the model saw, read and never read is not known."
          : "What the model saw, what it read and never read, and how its context grew is known with a journal: "}
        {!hasJournal && <code>{"offloadMiddleware({ journal: fileJournal({ directory }) })"}</code>}
        {!hasJournal && ", and here --journal with the same directory."}
      </p>
    </>
  );
}

function Figure({
  name,
  value,
  unit,
}: {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
}): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b> {unit}
      </dd>
    </div>
  );
}

import type { ComponentChildren, VNode } from "preact";

import type { SessionDetail } from "../../wire.js";
import type { JournalSession } from "../../../plugins/journal/session.js";
import { about, bytes, counted, grouped, tokens } from "../format.js";
import { broughtWords, filledWords, isCounted, keptOutWords, unreadWords } from "./answers.js";

/** The answers to the first questions in plain sentences, and the figures that they are made of. */
export function Figures(props: {
  readonly detail: SessionDetail;
  readonly hasJournal: boolean;
}): VNode {
  const { journal } = props.detail.row;
  if (journal === undefined) return <WithoutJournal {...props} />;
  return (
    <>
      <dl class="answers">
        <Answer to="What filled the context?">
          {filledWords(props.detail, journal)} {broughtWords(props.detail)}
        </Answer>
        <Answer to="What was kept out?">{keptOutWords(props.detail, journal)}</Answer>
        <Answer to="What was never read?">{unreadWords(props.detail, journal)}</Answer>
      </dl>
      <AllFigures detail={props.detail} journal={journal} />
    </>
  );
}

function AllFigures({
  detail,
  journal,
}: {
  readonly detail: SessionDetail;
  readonly journal: JournalSession;
}): VNode {
  const { calls, tools } = detail;
  const { lastContext, inputTokens, counts, offloadedTokens, agedResults, freedTokens } = journal;
  const stored = counts.offloaded ?? 0;
  return (
    <>
      <dl class="figures">
        {calls > 0 && (
          <Figure
            name="Read by the model"
            value={about(inputTokens.withTokens)}
            unit={`tokens in ${counted(calls, "call")}`}
          />
        )}
        {calls > 0 && (
          <Figure
            name="Saved"
            value={about(Math.max(0, inputTokens.withoutTokens - inputTokens.withTokens))}
            unit={`of ${about(inputTokens.withoutTokens)} tokens`}
          />
        )}
        {lastContext && (
          <Figure
            name="Context of the last call"
            value={about(lastContext.withTokens)}
            unit={`tokens in place of ${about(lastContext.withoutTokens)}`}
          />
        )}
        {stored > 0 && (
          <Figure
            name="Stored"
            value={isCounted(tools) ? grouped(offloadedTokens) : about(offloadedTokens)}
            unit={`tokens in ${counted(stored, "output")}`}
          />
        )}
        {agedResults > 0 && (
          <Figure
            name="Taken out when stale"
            value={about(freedTokens)}
            unit={`tokens in ${counted(agedResults, "result")}`}
          />
        )}
      </dl>
      <p class="quiet small">
        ≈ is estimated, at four bytes a token, or of large outputs from samples. Figures without it
        are counted by a tokenizer.
      </p>
    </>
  );
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
        {!hasJournal && <code>{"offloadMiddleware({ plugins: [journal({ directory })] })"}</code>}
        {!hasJournal && ", and here --journal with the same directory."}
      </p>
    </>
  );
}

function Answer({ to, children }: { readonly to: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{to}</dt>
      <dd>{children}</dd>
    </div>
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

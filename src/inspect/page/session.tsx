import type { VNode } from "preact";

import type { ReadEntry } from "../../plugins/journal/entry.js";
import type { About, OutputRow, SessionDetail } from "../wire.js";
import { useAsked } from "./api.js";
import { Context } from "./context.js";
import { EntryLine } from "./entry.js";
import { about, bytes, clock, counted, duration, joined, shownLine, tokens } from "./format.js";
import { Line, List, Section, Waiting } from "./parts.js";

export function SessionView({
  id,
  name,
  about: of,
}: {
  readonly id: string;
  readonly name: string | undefined;
  readonly about: About;
}): VNode {
  const address = `/api/sessions/${id}`;
  const asked = useAsked<SessionDetail>(address, of.version);
  if (asked.value === undefined) return <Waiting {...asked} />;
  const { firstAt, lastAt, journal, usage } = asked.value;
  return (
    <>
      <h1>{name === undefined ? `Session ${id.slice(0, 8)}` : shownLine(name, 120)}</h1>
      <p class="quiet">
        {clock(firstAt)} to {clock(lastAt)}, {duration(lastAt - firstAt)}
      </p>
      <Figures detail={asked.value} />
      {journal === undefined && (
        <p class="note">
          What the model saw, read and never read is known with a journal of this session:
          offloadMiddleware({"{ plugins: [journal({ directory })] }"}), and here --journal with the
          same directory.
        </p>
      )}
      {usage.length > 0 && (
        <Context points={usage} calls={journal?.counts["model-called"] ?? usage.length} />
      )}
      <Outputs address={address} version={of.version} />
      {journal && (
        <Section
          title="Timeline"
          about={`${counted(journal.entries, "entry", "entries")} of the journal, oldest first. Blue ones open the output that they are about; ≈ is estimated.`}
        >
          <List<ReadEntry>
            label="Timeline"
            path={`${address}/entries?`}
            version={of.version}
            row={(entry) => <EntryLine entry={entry} />}
          />
        </Section>
      )}
    </>
  );
}

function Figures({ detail }: { readonly detail: SessionDetail }): VNode {
  return (
    <dl class="figures">
      {figuresOf(detail).map(([name, value, words]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{value}</b> {words}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function among(count: number): string {
  return `tokens in ${counted(count, "output")}`;
}

type Figure = readonly [name: string, value: string, words: string];

function figuresOf(detail: SessionDetail): readonly Figure[] {
  const { outputs, sizeBytes, journal, neverRead, neverReadTokens } = detail;
  if (journal === undefined)
    return [["Stored", about(detail.tokens), `${among(outputs)}, ${bytes(sizeBytes)}`]];
  const { inputTokens, counts, offloadedTokens } = journal;
  const { withTokens, withoutTokens } = inputTokens;
  const { offloaded = 0, "model-called": calls = 0 } = counts;
  const saved = Math.max(0, Math.round(100 - (100 * withTokens) / withoutTokens));
  const read = `tokens in ${counted(calls, "call")}, its whole context in each`;
  const instead = `of the ${about(withoutTokens)} tokens that it would have read without this library`;
  const ofCalls: readonly Figure[] = [
    ["Read by the model", about(withTokens), read],
    ["Kept out of it", `${saved} %`, instead],
  ];
  return [
    ...(withoutTokens > 0 ? ofCalls : []),
    ["Stored when they came", about(offloadedTokens), among(offloaded)],
    ["Never read of these", about(neverReadTokens), among(neverRead)],
  ];
}

function Outputs({
  address,
  version,
}: {
  readonly address: string;
  readonly version: string;
}): VNode {
  return (
    <Section title="Stored outputs" about="The newest first. Equal outputs are kept once.">
      <List<OutputRow>
        label="Stored outputs"
        path={`${address}/outputs?`}
        version={version}
        row={(output) => <OutputLine output={output} />}
      />
    </Section>
  );
}

function OutputLine({ output }: { readonly output: OutputRow }): VNode {
  const { id, toolName, kind, sizeBytes, recordCount, createdAt, sealed, reads, neverRead } =
    output;
  const size = `${bytes(sizeBytes)} · ${recordCount === undefined ? kind : counted(recordCount, "record")}`;
  const unread = neverRead ? "never read" : "";
  const read = reads > 0 ? counted(reads, "read") : unread;
  return (
    <Line
      what={sealed ? "encrypted" : shownLine(toolName, 80)}
      figure={tokens(output.tokens, output.tokensExact)}
      detail={joined(clock(createdAt), size, read, shownLine(output.about, 160))}
      output={id}
    />
  );
}

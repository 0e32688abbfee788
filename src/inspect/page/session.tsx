import type { VNode } from "preact";

import type { ReadEntry } from "../../plugins/journal/entry.js";
import type { About, OutputRow, SessionDetail, UsagePoint } from "../wire.js";
import { useAsked } from "./api.js";
import { EntryLine } from "./entry.js";
import { about, clock, joined, shownLine, tokens } from "./format.js";
import { Line, List, Section, Waiting } from "./parts.js";
import { bytes, counted, duration, grouped } from "../../util/amounts.js";

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
  const { firstAt, lastAt, journal, latestCall } = asked.value;
  return (
    <>
      <h1>{name === undefined ? `Session ${id.slice(0, 8)}` : shownLine(name, 120)}</h1>
      <p class="quiet">
        {clock(firstAt)} to {clock(lastAt)}, {duration(lastAt - firstAt)}
      </p>
      <dl class="figures">
        {figuresOf(asked.value).map(([name, value, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{value}</b> {words}
            </dd>
          </div>
        ))}
      </dl>
      {journal === undefined && (
        <p class="note">
          What the model saw, read and never read is known with a journal of this session:
          offloadMiddleware({"{ plugins: [journal({ directory })] }"}), and here --journal with the
          same directory.
        </p>
      )}
      {latestCall && <Context point={latestCall} />}
      <Section title="Stored outputs" about="The newest first. Equal outputs are kept once.">
        <List<OutputRow>
          label="Stored outputs"
          path={`${address}/outputs?`}
          version={of.version}
          row={(output) => <OutputLine output={output} />}
        />
      </Section>
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

type Figure = readonly [name: string, value: string, words: string];

function figuresOf(detail: SessionDetail): readonly Figure[] {
  const { outputs, sizeBytes, journal, neverRead, neverReadTokens } = detail;
  if (journal === undefined)
    return [["Stored", bytes(sizeBytes), `in ${counted(outputs, "output")}`]];
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
    ["Stored when they came", about(offloadedTokens), `tokens in ${counted(offloaded, "output")}`],
    ["Never read of these", about(neverReadTokens), `tokens in ${counted(neverRead, "output")}`],
  ];
}

function OutputLine({ output }: { readonly output: OutputRow }): VNode {
  const { id, toolName, kind, sizeBytes, recordCount, createdAt, sealed, reads, neverRead } =
    output;
  const what = recordCount === undefined ? kind : counted(recordCount, "record");
  const unread = neverRead ? "never read" : "";
  const read = reads > 0 ? counted(reads, "read") : unread;
  return (
    <Line
      what={sealed ? "encrypted" : shownLine(toolName, 80)}
      figure={sealed ? "" : tokens(output.tokens, output.tokensExact)}
      detail={joined(
        clock(createdAt),
        bytes(sizeBytes),
        sealed ? "" : what,
        read,
        shownLine(output.about, 160),
      )}
      output={id}
    />
  );
}

const PARTS: readonly (readonly [part: keyof UsagePoint["parts"], words: string])[] = [
  ["system", "System prompt"],
  ["definitions", "Definitions of the read tools"],
  ["human", "User messages"],
  ["ai", "Model messages"],
  ["result", "Whole outputs"],
  ["descriptor", "Short texts in place of outputs"],
  ["drill-in", "Read on demand"],
  ["aged", "Lines in place of stale outputs"],
];

function Context({ point }: { readonly point: UsagePoint }): VNode {
  return (
    <Section
      title="What filled the context"
      about="What the model read at its latest call, by what it is. All of these tokens are estimated, at four bytes a token. Without this library: the same conversation with every output whole and staying, without the read tools, the model's calls of them and their answers."
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{clock(point.at)}</th>
            <th scope="col">Tokens</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {rowsOf(point).map(([name, tokens, share], row) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              <td>{tokens}</td>
              <td>{share}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function shareOf(tokens: number, whole: number): string {
  return `${Math.round((100 * tokens) / whole)} %`;
}

function rowsOf({ parts, contextTokens, withoutTokens, windowTokens }: UsagePoint) {
  const rows = PARTS.flatMap(([part, words]) => {
    const tokens = parts[part];
    return tokens ? [[words, about(tokens), shareOf(tokens, contextTokens)]] : [];
  });
  const full =
    windowTokens && `${shareOf(contextTokens, windowTokens)} of ${grouped(windowTokens)}`;
  return [
    ...rows,
    [<b>Together</b>, <b>{about(contextTokens)}</b>, full],
    ["Without this library", about(withoutTokens)],
  ];
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { ReadEntry } from "../../plugins/journal/entry.js";
import type { About, OutputRow, SessionDetail, ToolShare } from "../wire.js";
import { useAsked } from "./api.js";
import { Context } from "./context.js";
import { EntryLine } from "./entry.js";
import {
  about,
  bytes,
  clock,
  counted,
  duration,
  grouped,
  joined,
  shownLine,
  tokens,
} from "./format.js";
import { Line, List, Section, Table, Waiting } from "./parts.js";

const MAX_TOOLS = 20;

export function SessionView(props: {
  readonly id: string;
  readonly name: string | undefined;
  readonly about: About;
}): VNode {
  const { id, name, about: of } = props;
  const address = `/api/sessions/${id}`;
  const asked = useAsked<SessionDetail>(address, of.version);
  if (asked.value === undefined) return <Waiting {...asked} />;
  const { firstAt, lastAt, journal, shares, usage, entriesLeftOut } = asked.value;
  return (
    <>
      <h1>{name === undefined ? `Session ${id.slice(0, 8)}` : shownLine(name, 120)}</h1>
      <p class="quiet">
        {clock(firstAt)} to {clock(lastAt)}, {duration(lastAt - firstAt)}
        {name === undefined &&
          ". Of its thread id only the hash is stored: find it by its thread id."}
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
      {shares.length > 0 && <ToolTable shares={shares} isTold={journal !== undefined} />}
      <Outputs address={address} version={of.version} />
      {journal && (
        <Section
          title="Timeline"
          about={`${counted(journal.entries, "entry", "entries")} of the journal, oldest first. Blue ones open the output that they are about; ≈ is estimated, at four bytes a token.`}
        >
          <List<ReadEntry>
            label="Timeline"
            path={`${address}/entries?`}
            version={of.version}
            row={(entry) => <EntryLine entry={entry} />}
          />
          {entriesLeftOut > 0 && (
            <p class="quiet">
              The figures above leave out the oldest {grouped(entriesLeftOut)} entries.
            </p>
          )}
        </Section>
      )}
    </>
  );
}

function Figures({ detail }: { readonly detail: SessionDetail }): VNode {
  const { outputs, sizeBytes, journal, shares } = detail;
  const isExact = shares.every(({ offloaded, estimated }) => offloaded === 0 || !estimated);
  const told = isExact ? grouped : about;
  const sum = (name: "tokensWithout" | "neverRead" | "neverReadTokens"): number =>
    shares.reduce((total, share) => total + share[name], 0);
  const figures: (readonly [name: string, value: string, words: string])[] = [];
  const size = `tokens in ${counted(outputs, "output")}, ${bytes(sizeBytes)}`;
  if (journal === undefined) figures.push(["Stored", told(sum("tokensWithout")), size]);
  else {
    const { inputTokens, lastContext, counts, offloadedTokens } = journal;
    const { withTokens, withoutTokens } = inputTokens;
    const { offloaded = 0, "model-called": calls = 0 } = counts;
    if (lastContext !== undefined) {
      const all = Math.max(1, withoutTokens);
      const saved = Math.max(0, Math.round((100 * (withoutTokens - withTokens)) / all));
      const read = `tokens in ${counted(calls, "call")}, its whole context in each`;
      const instead = `of the ${about(withoutTokens)} tokens that it would have read without this library`;
      figures.push(
        ["Read by the model", about(withTokens), read],
        ["Kept out of it", `${saved} %`, instead],
      );
    }
    const unread = `tokens in ${counted(sum("neverRead"), "output")}`;
    figures.push(
      ["Stored when they came", told(offloadedTokens), `tokens in ${counted(offloaded, "output")}`],
      ["Never read of these", told(sum("neverReadTokens")), unread],
    );
  }
  return (
    <dl class="figures">
      {figures.map(([name, value, words]) => (
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

function ToolTable(props: {
  readonly shares: readonly ToolShare[];
  readonly isTold: boolean;
}): VNode {
  const { shares, isTold } = props;
  const more = isTold ? ["Seen at first", "Read on demand", "Never read"] : [];
  const rows = shares.slice(0, MAX_TOOLS).map((share) => {
    const { outputs, offloaded, tokensWithout, tokensSeen, neverRead, estimated } = share;
    const told = estimated ? about : grouped;
    const cells = [
      <bdi>{shownLine(share.toolName, 60)}</bdi>,
      grouped(outputs),
      told(tokensWithout),
      told(tokensSeen),
      grouped(share.tokensRead),
      offloaded === 0 ? "–" : `${grouped(neverRead)} of ${grouped(offloaded)}`,
    ];
    return cells.slice(0, 3 + more.length);
  });
  return (
    <Section
      title={shares.length > MAX_TOOLS ? `The ${MAX_TOOLS} dearest tools` : "By tool"}
      about="Tokens of each tool's outputs, each output once: as it came, as the model saw it at first, and what it read of it again. A tokenizer has counted them; ≈ is estimated, at four bytes a token or from samples."
    >
      <Table head={["Tool", "Outputs", "As they came", ...more]} rows={rows} />
    </Section>
  );
}

function Outputs(props: { readonly address: string; readonly version: string }): VNode {
  const { address, version } = props;
  const [find, setFind] = useState("");
  return (
    <Section title="Stored outputs" about="The newest first. Equal outputs are kept once.">
      <input
        type="search"
        size={60}
        aria-label="Find an output"
        placeholder="Tool, kind, arguments, id or “never read”"
        onInput={({ currentTarget }) => setFind(currentTarget.value)}
      />
      <List<OutputRow>
        label="Stored outputs"
        path={`${address}/outputs?find=${encodeURIComponent(find)}`}
        version={version}
        row={(output) => <OutputLine output={output} />}
      />
    </Section>
  );
}

function OutputLine({ output }: { readonly output: OutputRow }): VNode {
  const { id, toolName, kind, sizeBytes, recordCount, createdAt, sealed, reads, unread } = output;
  const size = `${bytes(sizeBytes)} · ${recordCount === undefined ? kind : counted(recordCount, "record")}`;
  const tokensRead = counted(reads?.answerTokens ?? 0, "token");
  const read = reads?.calls ? `${counted(reads.calls, "read")}, ${tokensRead}` : unread;
  return (
    <Line
      what={sealed ? "encrypted" : shownLine(toolName, 80)}
      figure={tokens(output.tokens, output.tokensExact)}
      detail={joined(clock(createdAt), size, read, shownLine(output.about, 160))}
      output={id}
    />
  );
}

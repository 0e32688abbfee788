import type { VNode } from "preact";

import type { About, SessionDetail, Unread } from "../../wire.js";
import { type News, useAsked } from "../api.js";
import { clock, counted, duration, grouped, sessionName } from "../format.js";
import { Section, Waiting } from "../parts/note.js";
import { Figures } from "./figures.js";
import { Ledger } from "./ledger.js";
import { OutputLine } from "./output-line.js";
import { OutputList } from "./output-list.js";
import { Timeline } from "./timeline.js";
import { ToolTable } from "./tool-table.js";

/** One session: what filled its context, what was never read, and what happened. */
export function SessionView(props: {
  readonly id: string;
  readonly news: News;
  readonly about: About | undefined;
}): VNode {
  const { id, news, about } = props;
  const version = `${news.store} ${news.sessions[id] ?? 0}`;
  const address = `/api/sessions/${id === "" ? "none" : id}`;
  const { value, error } = useAsked<SessionDetail>(address, version);
  if (value === undefined) return <Waiting error={error} />;
  const { row, tools, ledger, calls, entries, entriesLeftOut } = value;
  return (
    <>
      <h1>{sessionName(id)}</h1>
      <p class="quiet">
        {clock(row.firstAt)} to {clock(row.lastAt)}, {duration(row.lastAt - row.firstAt)}
        {calls > 0 && `, ${counted(calls, "call")} of the model`}
      </p>
      <Figures detail={value} hasJournal={about?.journal !== undefined} />
      {ledger.length > 0 && <Ledger points={ledger} calls={calls} />}
      <ToolTable tools={tools} />
      {value.unread && row.journal?.counts.offloaded !== undefined && (
        <UnreadOutputs unread={value.unread} />
      )}
      {row.journal && <Timeline address={address} total={row.journal.entries} />}
      {entriesLeftOut > 0 && (
        <p class="quiet">
          The figures are of the newest {grouped(entries)} entries; {grouped(entriesLeftOut)} older
          ones are left out.
        </p>
      )}
      <Section title="Stored outputs">
        <OutputList address={address} version={version} />
      </Section>
    </>
  );
}

/** What was stored and never read: the largest first. */
function UnreadOutputs({ unread }: { readonly unread: Unread }): VNode {
  const { outputs, tokens, largest } = unread;
  const about =
    outputs === 0
      ? "Nothing: the model read of every output that is still stored, or saw it whole."
      : `${counted(outputs, "output")} with ${grouped(tokens)} tokens: the model saw a short text in place of each and asked for nothing more.`;
  return (
    <Section title="Never read" about={about}>
      {largest.map((output) => (
        <OutputLine key={output.id} output={output} />
      ))}
      {outputs > largest.length && (
        <p class="quiet">{counted(outputs - largest.length, "more such output")} below.</p>
      )}
    </Section>
  );
}

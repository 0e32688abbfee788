import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { ReadEntry } from "../../../plugins/journal/entry.js";
import type { EntriesPage } from "../../wire.js";
import { useKept } from "../api.js";
import { clock, counted } from "../format.js";
import { Section, Waiting } from "../parts/note.js";
import { PAGE_ROWS, PagedList } from "../parts/pages.js";
import { outputAddress } from "../route.js";
import { entryWords } from "./entry-words.js";

/** Everything that happened in a session, in order. */
export function Timeline(props: {
  readonly address: string;
  /** Entries that there are. */
  readonly total: number;
}): VNode {
  const { address, total } = props;
  const [from, setFrom] = useState(0);
  const query = `from=${from}&limit=${PAGE_ROWS}`;
  const { value, error, isWaiting } = useKept<EntriesPage>(`${address}/entries?${query}`, total);
  return (
    <Section
      title="Timeline"
      about={`${counted(total, "entry", "entries")} of the journal, oldest first. Underlined ones open the output that they are about.`}
    >
      {(value === undefined || error !== undefined) && <Waiting error={error} />}
      {value && (
        <PagedList
          label="Timeline"
          total={total}
          from={from}
          rows={value.entries}
          isWaiting={isWaiting}
          row={(entry) => <EntryLine entry={entry} stored={value.stored} />}
          onGo={setFrom}
        />
      )}
    </Section>
  );
}

function EntryLine({
  entry,
  stored,
}: {
  readonly entry: ReadEntry;
  readonly stored: EntriesPage["stored"];
}): VNode {
  const { what, detail, figure, output, tone } = entryWords(entry, (id) => stored[id]);
  const isLink = output !== undefined && stored[output] !== undefined;
  const inner = (
    <>
      <span class="one-line">
        <i class={`dot ${tone}`} /> <bdi class={isLink ? "opens" : ""}>{what}</bdi>
      </span>
      <span class="number">{figure}</span>
      <span class="quiet one-line rest">
        {clock(entry.at)}
        {detail !== "" && " · "}
        <bdi>{detail}</bdi>
      </span>
    </>
  );
  return isLink ? (
    <a class="line" href={outputAddress(output)}>
      {inner}
    </a>
  ) : (
    <div class="line">{inner}</div>
  );
}

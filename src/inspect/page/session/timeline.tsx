import type { VNode } from "preact";

import type { ReadEntry } from "../../../journal/entry.js";
import type { EntriesPage } from "../../wire.js";
import { ask } from "../api.js";
import { clock, counted } from "../format.js";
import { type RowsPage, usePages } from "../pages.js";
import { Section } from "../parts/note.js";
import { VirtualList } from "../parts/virtual-list.js";
import { outputAddress } from "../route.js";
import { entryWords } from "./entry-words.js";

const ROW_HEIGHT = 52;
const MAX_ROWS = 12;

interface Line {
  readonly entry: ReadEntry;
  readonly stored: EntriesPage["stored"];
}

async function linesAt(address: string): Promise<RowsPage<Line>> {
  const { total, entries, stored } = await ask<EntriesPage>(address);
  return { total, rows: entries.map((entry) => ({ entry, stored })) };
}

/** Everything that happened in a session, in order; what is in sight is fetched. */
export function Timeline(props: {
  readonly address: string;
  /** Entries that there are. */
  readonly total: number;
}): VNode {
  const { address, total } = props;
  const { at, onShown } = usePages(`${address}/entries`, linesAt, total);
  return (
    <Section
      title="Timeline"
      about={`${counted(total, "entry", "entries")} of the journal, oldest first. Underlined ones open the output that they are about.`}
    >
      <VirtualList
        label="Timeline"
        count={total}
        rowHeight={ROW_HEIGHT}
        maxRows={MAX_ROWS}
        onShown={onShown}
        row={(place) => {
          const line = at(place);
          return line && <EntryLine {...line} />;
        }}
      />
    </Section>
  );
}

function EntryLine({ entry, stored }: Line): VNode {
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

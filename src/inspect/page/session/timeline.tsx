import type { VNode } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { ReadEntry } from "../../../journal/entry.js";
import type { EntriesPage, OutputRow } from "../../wire.js";
import { ask } from "../api.js";
import { clock, counted } from "../format.js";
import { Section } from "../parts/note.js";
import { VirtualList } from "../parts/virtual-list.js";
import { outputAddress } from "../route.js";
import { entryWords } from "./entry-words.js";

const ROW_HEIGHT = 52;
const MAX_ROWS = 12;
const PAGE = 200;

/** Everything that happened in a session, in order; what is in sight is fetched. */
export function Timeline(props: {
  readonly address: string;
  readonly total: number;
  readonly outputs: readonly OutputRow[];
}): VNode {
  const { address, total, outputs } = props;
  const [pages, setPages] = useState<ReadonlyMap<number, readonly ReadEntry[]>>(new Map());
  const asked = useRef(new Map<number, number>());
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const stored = useMemo(() => new Map(outputs.map((output) => [output.id, output])), [outputs]);
  useEffect(() => {
    for (let page = Math.floor(range[0] / PAGE); page * PAGE < range[1]; page += 1) {
      const there = Math.min(total, (page + 1) * PAGE);
      if ((asked.current.get(page) ?? 0) >= there) continue;
      asked.current.set(page, there);
      ask<EntriesPage>(`${address}/entries?from=${page * PAGE}&limit=${PAGE}`)
        .then(({ entries }) => setPages((old) => new Map(old).set(page, entries)))
        .catch(() => asked.current.delete(page));
    }
  }, [address, total, range]);
  const onShown = useCallback((from: number, to: number) => setRange([from, to]), []);
  return (
    <Section
      title="Timeline"
      about={`${counted(total, "entry", "entries")} of the journal, oldest first.`}
    >
      <VirtualList
        label="Timeline"
        count={total}
        rowHeight={ROW_HEIGHT}
        maxRows={MAX_ROWS}
        onShown={onShown}
        row={(place) => {
          const entry = pages.get(Math.floor(place / PAGE))?.[place % PAGE];
          return entry && <EntryLine entry={entry} stored={stored} />;
        }}
      />
    </Section>
  );
}

function EntryLine({
  entry,
  stored,
}: {
  readonly entry: ReadEntry;
  readonly stored: ReadonlyMap<string, OutputRow>;
}): VNode {
  const { what, detail, figure, output, tone } = entryWords(
    entry,
    (id) => stored.get(id)?.toolName,
  );
  const inner = (
    <>
      <span class="one-line">
        <i class={`dot ${tone}`} /> <bdi>{what}</bdi>
      </span>
      <span class="number">{figure}</span>
      <span class="quiet one-line rest">
        {clock(entry.at)} · <bdi>{detail}</bdi>
      </span>
    </>
  );
  return output !== undefined && stored.has(output) ? (
    <a class="line" href={outputAddress(output)}>
      {inner}
    </a>
  ) : (
    <div class="line">{inner}</div>
  );
}

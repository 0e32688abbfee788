import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { OutputRow, OutputsPage } from "../../wire.js";
import { ask } from "../api.js";
import { counted } from "../format.js";
import { type RowsPage, usePages } from "../pages.js";
import { VirtualList } from "../parts/virtual-list.js";
import { OutputLine } from "./output-line.js";

const ROW_HEIGHT = 52;
const MAX_ROWS = 10;

async function outputsAt(address: string): Promise<RowsPage<OutputRow>> {
  const { total, outputs } = await ask<OutputsPage>(address);
  return { total, rows: outputs };
}

/** Stored outputs, newest first, with a field that narrows them; what is in sight is fetched. */
export function OutputList(props: {
  /** Of the session. */
  readonly address: string;
  /** Changes when an output is stored or read. */
  readonly version: string;
}): VNode {
  const { address, version } = props;
  const [wanted, setWanted] = useState("");
  const query = `${address}/outputs?find=${encodeURIComponent(wanted)}`;
  const { total, at, onShown } = usePages(query, outputsAt, version);
  return (
    <>
      <label class="field">
        <span>Find</span>
        <input
          type="search"
          value={wanted}
          placeholder="tool, kind, arguments or id"
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <span class="quiet">{total === undefined ? "" : counted(total, "output")}</span>
      </label>
      <VirtualList
        label="Stored outputs"
        count={total ?? 0}
        rowHeight={ROW_HEIGHT}
        maxRows={MAX_ROWS}
        onShown={onShown}
        row={(place) => {
          const output = at(place);
          return output && <OutputLine output={output} />;
        }}
      />
    </>
  );
}

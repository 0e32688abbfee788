import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { OutputsPage } from "../../wire.js";
import { useKept } from "../api.js";
import { counted } from "../format.js";
import { Waiting } from "../parts/note.js";
import { PAGE_ROWS, PagedList } from "../parts/pages.js";
import { OutputLine } from "./output-line.js";

/** Stored outputs, newest first, with a field that narrows them. */
export function OutputList(props: {
  /** Of the session. */
  readonly address: string;
  /** Changes when an output is stored or read. */
  readonly version: string;
}): VNode {
  const { address, version } = props;
  const [{ find, from }, setWanted] = useState({ find: "", from: 0 });
  const query = `find=${encodeURIComponent(find)}&from=${from}&limit=${PAGE_ROWS}`;
  const { value, error, isWaiting } = useKept<OutputsPage>(`${address}/outputs?${query}`, version);
  return (
    <>
      <label class="field">
        <span>Find</span>
        <input
          type="search"
          value={find}
          placeholder="tool, kind, arguments or id"
          onInput={({ currentTarget }) => setWanted({ find: currentTarget.value, from: 0 })}
        />
        <span class="quiet">{value && counted(value.total, "output")}</span>
      </label>
      {(value === undefined || error !== undefined) && <Waiting error={error} />}
      {value && (
        <PagedList
          label="Stored outputs"
          total={value.total}
          from={from}
          rows={value.outputs}
          isWaiting={isWaiting}
          row={(output) => <OutputLine output={output} />}
          onGo={(to) => setWanted({ find, from: to })}
        />
      )}
    </>
  );
}

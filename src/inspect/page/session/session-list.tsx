import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { SessionRow } from "../../wire.js";
import { bytes, clock, counted, sessionName, shownLine } from "../format.js";
import { Waiting } from "../parts/note.js";
import { PAGE_ROWS, PagedList } from "../parts/pages.js";
import { sessionAddress } from "../route.js";

/** The sessions, that which did something last first. */
export function SessionList(props: {
  readonly sessions: readonly SessionRow[] | undefined;
  readonly error: string | undefined;
  readonly chosen: string | undefined;
}): VNode {
  const { sessions, error, chosen } = props;
  const [from, setFrom] = useState(0);
  return (
    <nav aria-label="Sessions">
      <h2>{sessions ? counted(sessions.length, "session") : "Sessions"}</h2>
      {sessions === undefined && <Waiting error={error} />}
      {sessions !== undefined && (
        <PagedList
          label="Sessions"
          total={sessions.length}
          from={from}
          rows={sessions.slice(from, from + PAGE_ROWS)}
          row={(row) => <Row row={row} chosen={chosen} />}
          onGo={setFrom}
        />
      )}
    </nav>
  );
}

function Row({
  row,
  chosen,
}: {
  readonly row: SessionRow;
  readonly chosen: string | undefined;
}): VNode {
  const { id, lastAt, outputs, sizeBytes, tools } = row;
  return (
    <a class="session" href={sessionAddress(id)} aria-current={id === chosen ? "page" : undefined}>
      <b>{sessionName(id)}</b>
      <span class="quiet">{clock(lastAt)}</span>
      <span class="quiet one-line">
        {outputs === 0
          ? "nothing stored"
          : `${counted(outputs, "output")}, ${bytes(sizeBytes)}: ${tools.map((tool) => shownLine(tool, 40)).join(", ")}`}
      </span>
    </a>
  );
}

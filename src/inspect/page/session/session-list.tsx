import type { VNode } from "preact";

import type { SessionRow } from "../../wire.js";
import { bytes, clock, counted, sessionName, shownLine } from "../format.js";
import { Waiting } from "../parts/note.js";
import { VirtualList } from "../parts/virtual-list.js";
import { sessionAddress } from "../route.js";

const ROW_HEIGHT = 72;
const MAX_ROWS = 11;

/** The sessions, that which did something last first. */
export function SessionList(props: {
  readonly sessions: readonly SessionRow[] | undefined;
  readonly error: string | undefined;
  readonly chosen: string | undefined;
}): VNode {
  const { sessions, error, chosen } = props;
  return (
    <nav aria-label="Sessions">
      <h2>{sessions ? counted(sessions.length, "session") : "Sessions"}</h2>
      {sessions === undefined && <Waiting error={error} />}
      {sessions !== undefined && (
        <VirtualList
          label="Sessions"
          count={sessions.length}
          rowHeight={ROW_HEIGHT}
          maxRows={MAX_ROWS}
          row={(place) => <Row row={sessions[place]} chosen={chosen} />}
        />
      )}
    </nav>
  );
}

function Row({
  row,
  chosen,
}: {
  readonly row: SessionRow | undefined;
  readonly chosen: string | undefined;
}): VNode | null {
  if (row === undefined) return null;
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

import { render, type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { About, Rows, SessionRow } from "../wire.js";
import { addressOf, useAsked, useScreen, useTick } from "./api.js";
import { clock, joined, shown, shownLine } from "./format.js";
import { bytes, counted } from "../../util/amounts.js";
import { OutputView } from "./output.js";
import { List, Waiting } from "./parts.js";
import { SessionView } from "./session.js";

function App(): VNode {
  const screen = useScreen();
  const [find, setFind] = useState("");
  const asked = useAsked<About>("/api/about", useTick());
  const about = asked.value;
  const path = `/api/sessions?find=${encodeURIComponent(find)}`;
  const sessions = useAsked<Rows<SessionRow>>(`${path}&limit=1`, about?.version);
  const first = sessions.value?.rows[0];
  const chosen = screen.of === "session" ? (screen.id ?? first?.id) : undefined;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    if (screen.id !== undefined) main.current?.focus();
    scrollTo(0, 0);
  }, [screen.id]);
  return (
    <>
      <header class="row">
        <a href="#/">
          <img src="/icon.svg" alt="" width="18" height="18" /> langchain-offload <b>inspect</b>
        </a>
        <bdi class="wide quiet">{about && shown(about.directory)}</bdi>
        <span class="quiet" role="status">
          {asked.error === undefined
            ? "up to date"
            : "not connected: has `langchain-offload inspect` ended?"}
        </span>
      </header>
      <div class="columns">
        <main ref={main} tabIndex={-1}>
          {about === undefined ? (
            <Waiting {...asked} />
          ) : screen.of === "output" && screen.id !== undefined ? (
            <OutputView key={screen.id} id={screen.id} about={about} />
          ) : chosen !== undefined ? (
            <SessionView
              key={chosen}
              id={chosen}
              name={first?.id === chosen ? first?.name : undefined}
              about={about}
            />
          ) : sessions.value === undefined ? (
            <Waiting {...sessions} />
          ) : (
            <>
              <h1>No session</h1>
              <p>
                In <code>{shown(about.directory)}</code> there is none of this user and this thread
                id. When an agent stores an output, it appears here by itself.
              </p>
            </>
          )}
          {about && <Missing about={about} />}
        </main>
        <nav aria-label="Sessions">
          <h2>{counted(sessions.value?.total ?? 0, "session")}</h2>
          <input
            type="search"
            aria-label="Find a session"
            placeholder="Thread id, then Enter"
            onChange={({ currentTarget }) => {
              setFind(currentTarget.value);
              location.hash = "#/";
            }}
          />
          <List<SessionRow>
            label="Sessions"
            path={path}
            version={about?.version}
            row={(row) => <SessionLine row={row} chosen={chosen} />}
          />
        </nav>
      </div>
    </>
  );
}

function SessionLine({
  row,
  chosen,
}: {
  readonly row: SessionRow;
  readonly chosen: string | undefined;
}): VNode {
  const { id, name, lastAt, outputs, sizeBytes, tools } = row;
  const called = name ?? (tools.join(", ") || "Nothing stored");
  const size = outputs === 0 ? "" : `${counted(outputs, "output")}, ${bytes(sizeBytes)}`;
  return (
    <a href={addressOf("session", id)} aria-current={id === chosen ? "page" : undefined}>
      <b>{shownLine(called, 120)}</b>
      <span class="quiet">{joined(clock(lastAt), size)}</span>
      <span class="quiet">{id.slice(0, 8)}</span>
    </a>
  );
}

function Missing({ about: { unreadable, losses } }: { readonly about: About }): VNode | null {
  const { lostEntries = 0, skippedLines = 0 } = losses ?? {};
  if (unreadable + lostEntries + skippedLines === 0) return null;
  return (
    <p class="note">
      Not shown here: outputs that are damaged or another user's: {unreadable}; entries that the
      journal could not write: {lostEntries}; lines of it that are no entry: {skippedLines}.
    </p>
  );
}

const place = document.querySelector("#page");
if (place !== null) render(<App />, place);

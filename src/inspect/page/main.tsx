import { render, type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { About, Rows, SessionRow } from "../wire.js";
import { addressOf, useAsked, useScreen, useTick } from "./api.js";
import { bytes, clock, counted, joined, shown, shownLine } from "./format.js";
import { OutputView } from "./output.js";
import { List, Waiting } from "./parts.js";
import { SessionView } from "./session.js";

const INTERVAL_MS = 1500;

function App(): VNode {
  const screen = useScreen();
  const [find, setFind] = useState("");
  const asked = useAsked<About>("/api/about", useTick(INTERVAL_MS));
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
            <Nothing about={about} find={find} />
          )}
          {about && <Missing about={about} />}
        </main>
        <nav aria-label="Sessions">
          <h2>{counted(sessions.value?.total ?? 0, "session")}</h2>
          <input
            type="search"
            aria-label="Find a session"
            placeholder="Thread id or tool, then Enter"
            onChange={({ currentTarget }) => {
              setFind(currentTarget.value);
              location.hash = "#/";
            }}
          />
          <List<SessionRow>
            label="Sessions"
            path={path}
            version={about?.version}
            row={(row) => (
              <SessionLine row={row} chosen={chosen} hasJournal={about?.hasJournal === true} />
            )}
          />
        </nav>
      </div>
    </>
  );
}

function SessionLine({
  row,
  chosen,
  hasJournal,
}: {
  readonly row: SessionRow;
  readonly chosen: string | undefined;
  readonly hasJournal: boolean;
}): VNode {
  const { id, name, lastAt, outputs, sizeBytes, tools, inJournal } = row;
  const called = name ?? (tools.join(", ") || "Nothing stored");
  const size = outputs === 0 ? "" : `${counted(outputs, "output")}, ${bytes(sizeBytes)}`;
  const where = hasJournal && !inJournal ? "not in this journal" : "";
  return (
    <a href={addressOf("session", id)} aria-current={id === chosen ? "page" : undefined}>
      <b>{shownLine(called, 120)}</b>
      <span class="quiet">{joined(clock(lastAt), size)}</span>
      <span class="quiet">{joined(id.slice(0, 8), where)}</span>
    </a>
  );
}

function Nothing({ about, find }: { readonly about: About; readonly find: string }): VNode {
  return (
    <>
      <h1>{find === "" ? "Nothing is stored yet" : "No such session"}</h1>
      <p>
        In <code>{shown(about.directory)}</code> there{" "}
        {find === ""
          ? "are no outputs of agents of this user. When an agent stores one, it appears here by itself."
          : `is no session with the thread id “${shownLine(find)}”, nor with this in its hash or the names of its tools.`}
      </p>
    </>
  );
}

function Missing({ about: { unreadable, losses } }: { readonly about: About }): VNode | null {
  const { lostEntries = 0, skippedLines = 0, unreadSegments = 0 } = losses ?? {};
  const missing = [
    unreadable && `${counted(unreadable, "output")} whose files are damaged or another user's`,
    lostEntries && `${counted(lostEntries, "entry", "entries")} that the journal could not write`,
    skippedLines && `${counted(skippedLines, "line")} of the journal that no entry is in`,
    unreadSegments && `${counted(unreadSegments, "file")} of the journal, the oldest`,
  ].filter(Boolean);
  return missing.length === 0 ? null : <p class="note">Not shown here: {missing.join("; ")}.</p>;
}

const place = document.querySelector("#page");
if (place !== null) render(<App />, place);

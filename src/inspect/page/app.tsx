import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { About, SessionRow } from "../wire.js";
import { type News, useAsked, useNews } from "./api.js";
import { counted, shown } from "./format.js";
import { OutputView } from "./output/output-view.js";
import { Waiting } from "./parts/note.js";
import { useRoute } from "./route.js";
import { SessionList } from "./session/session-list.js";
import { SessionView } from "./session/session-view.js";

/** The whole page. */
export function App(): VNode {
  const route = useRoute();
  const news = useNews();
  const version = `${news.store} ${news.journal}`;
  const about = useAsked<About>("/api/about", version);
  const sessions = useAsked<readonly SessionRow[]>("/api/sessions", version);
  const missing = about.value && missingWords(about.value);
  const newest = sessions.value?.[0]?.id;
  const session = route.screen === "session" ? route.id : newest;
  const main = useRef<HTMLElement>(null);
  const place = route.screen === "newest" ? "newest" : route.id;
  useEffect(() => {
    if (place !== "newest") main.current?.focus();
    scrollTo(0, 0);
  }, [place]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        Skip to the content
      </a>
      <Header about={about.value} news={news} />
      <div class="columns">
        <SessionList
          sessions={sessions.value}
          error={sessions.error}
          chosen={route.screen === "output" ? undefined : session}
        />
        <main ref={main} tabIndex={-1}>
          {route.screen === "output" && about.value && (
            <OutputView key={route.id} id={route.id} about={about.value} version={version} />
          )}
          {route.screen !== "output" && session !== undefined && (
            <SessionView key={session} id={session} news={news} about={about.value} />
          )}
          {route.screen !== "output" && sessions.value && session === undefined && (
            <Nothing about={about.value} />
          )}
          {route.screen !== "output" && !sessions.value && <Waiting error={sessions.error} />}
          {missing !== undefined && <p class="note">{missing}</p>}
        </main>
      </div>
    </>
  );
}

function skipTo(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

function Header({
  about,
  news,
}: {
  readonly about: About | undefined;
  readonly news: News;
}): VNode {
  return (
    <header>
      <a class="brand" href="#/">
        <img src="/icon.svg" alt="" width="18" height="18" /> langchain-offload <b>inspect</b>
      </a>
      <span class="where" title={about && shown(about.directory)}>
        {about && <bdi>{shown(about.directory)}</bdi>}
      </span>
      <span class={news.connected ? "live on" : "live"} role="status">
        {news.connected ? "live" : "not connected"}
      </span>
    </header>
  );
}

function Nothing({ about }: { readonly about: About | undefined }): VNode {
  return (
    <>
      <h1>Nothing is stored yet</h1>
      <p class="lead">
        In <code>{about && shown(about.directory)}</code> there are no outputs of agents of this
        user. When an agent stores one, it appears here by itself.
      </p>
    </>
  );
}

/** What the page cannot show, in a sentence; `undefined` where that is nothing. */
function missingWords({
  unreadable,
  losses,
}: Pick<About, "unreadable" | "losses">): string | undefined {
  const { lostEntries = 0, skippedLines = 0, unreadSegments = 0 } = losses ?? {};
  const missing: readonly (readonly [count: number, words: string])[] = [
    [unreadable, `${counted(unreadable, "output")} whose files are damaged or another user's`],
    [lostEntries, `${counted(lostEntries, "entry", "entries")} that the journal could not write`],
    [skippedLines, `${counted(skippedLines, "line")} of the journal that no entry is in`],
    [unreadSegments, `${counted(unreadSegments, "file")} of the journal, the oldest`],
  ];
  const words = missing.filter(([count]) => count > 0).map(([, text]) => text);
  return words.length === 0 ? undefined : `Not shown here: ${words.join("; ")}.`;
}

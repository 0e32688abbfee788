import { useEffect, useRef, useState } from "preact/hooks";

import type { Fault } from "../wire.js";

/** What was asked for, as far as it is there. */
export interface Asked<Value> {
  readonly value?: Value | undefined;
  readonly error?: string | undefined;
}

/** Asks the server. Rejects with the sentence that it answers. */
export async function ask<Value>(
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Value> {
  const sent = body === undefined ? {} : posted(body);
  const response = await fetch(path, { ...sent, ...(signal && { signal }) });
  if (response.ok) {
    const answer: Value = await response.json();
    return answer;
  }
  const { error }: Fault = await response.json();
  throw new Error(error);
}

function posted(body: unknown): RequestInit {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

/** Asks when the path or the version changes; what was there stays until the answer comes. */
export function useAsked<Value>(path: string | undefined, version: unknown = 0): Asked<Value> {
  const [state, setState] = useState<Asked<Value> & { readonly path?: string | undefined }>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const controller = new AbortController();
    ask<Value>(path, undefined, controller.signal)
      .then((value) => setState({ value, path }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setState({ error: sentenceOf(error), path });
      });
    return () => controller.abort();
  }, [path, version]);
  return state.path === path ? state : {};
}

/** The same, and until the answer comes what was there before, whatever path that was of. */
export function useKept<Value>(
  path: string,
  version: unknown = 0,
): Asked<Value> & { readonly isWaiting: boolean } {
  const { value, error } = useAsked<Value>(path, version);
  const kept = useRef<Value>(undefined);
  kept.current = value ?? kept.current;
  return { value: kept.current, error, isWaiting: value === undefined && error === undefined };
}

/** What is shown of something that was thrown. */
export function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === "Failed to fetch"
    ? "The server does not answer: `langchain-offload inspect` has ended."
    : message;
}

/** What happens while the page is open. */
export interface News {
  /** Counts what has changed in the store. */
  readonly store: number;
  /** Counts new entries, by session. */
  readonly sessions: Readonly<Record<string, number>>;
  readonly journal: number;
  readonly connected: boolean;
}

const NONE: News = { store: 0, sessions: {}, journal: 0, connected: false };

/** Hears from the server what has changed. */
export function useNews(): News {
  const [news, setNews] = useState<News>(NONE);
  useEffect(() => {
    const source = new EventSource("/api/live");
    source.addEventListener("hello", () => setNews((old) => ({ ...old, connected: true })));
    source.addEventListener("error", () => setNews((old) => ({ ...old, connected: false })));
    source.addEventListener("store", () => setNews((old) => ({ ...old, store: old.store + 1 })));
    source.addEventListener("journal", (event: MessageEvent<string>) => {
      const { sessions }: { readonly sessions: readonly string[] } = JSON.parse(event.data);
      setNews((old) => {
        const counts = { ...old.sessions };
        for (const id of sessions) counts[id] = (counts[id] ?? 0) + 1;
        return { ...old, sessions: counts, journal: old.journal + 1 };
      });
    });
    return () => source.close();
  }, []);
  return news;
}

import { useEffect, useState } from "preact/hooks";

import { messageOf } from "../../util/error-message.js";

export interface Asked<Value> {
  readonly value?: Value | undefined;
  readonly error?: string | undefined;
  readonly isWaiting?: boolean;
}

async function ask<Value>(path: string, request: RequestInit): Promise<Value> {
  const response = await fetch(path, request);
  if (response.ok) {
    const answer: Value = await response.json();
    return answer;
  }
  const { error }: { readonly error: string } = await response.json();
  throw new Error(error);
}

export function useAsked<Value>(path: string, version: unknown = 0): Asked<Value> {
  const [state, setState] = useState<Asked<Value> & { readonly path?: string }>({});
  useEffect(() => {
    const controller = new AbortController();
    ask<Value>(path, controller)
      .then((value) => setState({ value, path }))
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        setState(({ value }) => ({ value, error: messageOf(error), path }));
      });
    return () => controller.abort();
  }, [path, version]);
  return { ...state, isWaiting: state.path !== path };
}

const SCREEN = /^#\/(session|output)\/([0-9a-f]{64}|[0-7][0-9A-HJKMNP-TV-Z]{25})$/;

export function addressOf(of: "session" | "output", id: string): string {
  return `#/${of}/${id}`;
}

export function useScreen(): { readonly of: string; readonly id: string | undefined } {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const [, of = "session", id] = SCREEN.exec(hash) ?? [];
  return { of, id };
}

const INTERVAL_MS = 1500;

export function useTick(): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((old) => old + Number(!document.hidden)), INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return tick;
}

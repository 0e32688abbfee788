import { useEffect, useState } from "preact/hooks";

/** Which screen is shown. */
export type Route =
  | { readonly screen: "newest" }
  | { readonly screen: "session"; readonly id: string }
  | { readonly screen: "output"; readonly id: string };

const SESSION = /^#\/session\/([0-9a-f]{64}|none)$/;
const OUTPUT = /^#\/output\/([0-7][0-9A-HJKMNP-TV-Z]{25})$/;

/** The screen that the address names; whatever else stands there is the first one. */
function routeOf(hash: string): Route {
  const session = SESSION.exec(hash)?.[1];
  if (session !== undefined) return { screen: "session", id: session === "none" ? "" : session };
  const output = OUTPUT.exec(hash)?.[1];
  return output === undefined ? { screen: "newest" } : { screen: "output", id: output };
}

/** The address of a session's screen. */
export function sessionAddress(id: string): string {
  return `#/session/${id === "" ? "none" : id}`;
}

/** The address of an output's screen. */
export function outputAddress(id: string): string {
  return `#/output/${id}`;
}

/** Follows the address. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return routeOf(hash);
}

import { request as httpRequest } from "node:http";
import { resolve } from "node:path";

import { afterEach } from "vitest";

import { type Inspector, type InspectorOptions, startInspector } from "../../src/inspect/index.js";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Serves a directory, with the built page, until the test ends. */
export function inspectors(): (
  options: Partial<InspectorOptions> & { directory: string },
) => Promise<Inspector> {
  const started: Inspector[] = [];
  afterEach(async () => {
    for (const inspector of started.splice(0)) await inspector.close();
  });
  return async (options) => {
    const inspector = await startInspector({
      port: 0,
      now: Date.now,
      pageDirectory: resolve(import.meta.dirname, "../../dist/inspect/page"),
      ...options,
    });
    started.push(inspector);
    return inspector;
  };
}

/** Asks with any headers, those too that `fetch` sets itself. */
export function raw(
  { origin }: Inspector,
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(parts).toString(),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The token in the printed address. */
export function tokenOf({ address }: Inspector): string {
  return new URL(address).searchParams.get("token") ?? "";
}

/** The cookie that the printed address gives. */
export async function cookieOf(inspector: Inspector): Promise<string> {
  const { pathname, search } = new URL(inspector.address);
  const { headers } = await raw(inspector, pathname + search);
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

/** Asks with the cookie, and gives what the JSON stands for. */
export async function asked<Value>(inspector: Inspector, path: string): Promise<Value> {
  const { text } = await raw(inspector, path, { headers: { cookie: await cookieOf(inspector) } });
  return JSON.parse(text) as Value;
}

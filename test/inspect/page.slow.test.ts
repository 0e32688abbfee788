import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { listDirectory } from "../../src/core/store/file/directory.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { newArtifactId, sessionKeyOf } from "../../src/core/store/naming.js";
import { encrypted } from "../../src/stores/encrypted/index.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { runHere } from "../cli/run-command.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { browserPath, startBrowser } from "./browser.js";
import { sampleSession } from "./sample-session.js";
import { inspectors, tokenOf } from "./serve.js";

/** What runs, asks or hides when a page takes it for more than text. */
const HOSTILE = [
  "<script>globalThis.pwned=1</script>",
  '"><img src=http://evil.example/x onerror="globalThis.pwned=1">',
  "<svg/onload=globalThis.pwned=1>",
  "javascript:globalThis.pwned=1",
  "</style><style>*{display:none}</style>",
  "{{constructor.constructor('globalThis.pwned=1')()}}",
  "\u202Eexe.txt\u202C\u0000\u001b[2J\u200b",
  "__proto__",
  "constructor",
  `${"<b>".repeat(200)}\uD800`,
  "url(http://evil.example/y)",
  "$&$`$'",
];

/** A text with all of it. */
const ALL_HOSTILE = HOSTILE.join(" ");

const makeDirectory = temporaryDirectories();
const serve = inspectors();
const UNSEEN = "/[\\u202e\\u200b]/.test(document.body.innerText)";
let browser: Browser;

beforeAll(async () => {
  if (browserPath !== undefined) browser = await startBrowser();
  else
    console.warn(
      "No Chromium was found: the page was tested in no browser. Set CHROMIUM to its path.",
    );
});
afterAll(async () => await browser?.close());

/** Opens an address in a browser of its own, and listens to what it does. */
async function open(address: string) {
  const page = await (await browser.newContext()).newPage();
  const { origin } = new URL(address);
  /** Addresses that were asked of anybody but the server. */
  const foreign: string[] = [];
  const faults: string[] = [];
  page.context().on("request", (request) => {
    if (new URL(request.url()).origin !== origin) foreign.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(address);
  await page.locator("main h1").waitFor();
  await answered(page);
  return { page, foreign, faults };
}

/** Waits until the page has an answer to all that it asked the server for. */
async function answered(page: Page): Promise<void> {
  await page.locator("main", { hasNotText: "Reading…" }).waitFor();
}

describe.skipIf(browserPath === undefined)("the page in a browser", () => {
  it("takes hostile data in every field for text: nothing runs, nothing is asked elsewhere", async () => {
    const directory = await makeDirectory();
    const session = sampleSession(directory);
    const rows = Array.from({ length: 300 }, (_, n) => ({
      [HOSTILE[n % HOSTILE.length] ?? ""]: HOSTILE[(n + 1) % HOSTILE.length],
      deep: { [ALL_HOSTILE]: [ALL_HOSTILE] },
      n,
    }));
    const paragraphs = HOSTILE.map((text) => `<p>${text}</p>`).join("");
    const cells = HOSTILE.slice(0, 3).map((text) => `"${text.replaceAll('"', '""')}"`);
    const ids = [
      await session.output(ALL_HOSTILE, rows),
      await session.output("text", `${ALL_HOSTILE}\n`.repeat(200)),
      await session.output("page", `<html><body>${paragraphs.repeat(40)}</body></html>`),
      await session.output("table", `${cells.join(",")}\n${"1,2,3\n".repeat(2000)}`),
    ];
    session.call();
    await session.read("jq", { id: ids[0], filter: '"<script>"' });
    const { sessionKey } = session;
    const of = { at: Date.now(), session: sessionKey, durationMs: 1, failed: false };
    const about = { ...of, arguments: { text: ALL_HOSTILE } };
    for (const entry of [
      { type: "drilled-in", tool: ALL_HOSTILE, artifactId: ids[0], answerTokens: 1 },
      { type: "stayed-inline", toolName: ALL_HOSTILE, sizeBytes: 10, text: { text: ALL_HOSTILE } },
      { type: ALL_HOSTILE, word: ALL_HOSTILE },
      { type: "model-answered", call: 1, toolCalls: [ALL_HOSTILE] },
    ])
      session.journal.add({ ...about, ...entry } as never);
    const inspector = await serve({ directory, journal: session.journal.reader });
    const { page, foreign, faults } = await open(inspector.address);
    expect(await page.locator("main").textContent()).toContain("<script>");
    expect(await page.evaluate(UNSEEN)).toBe(false);
    for (const id of ids) {
      await page.goto(`${inspector.origin}/#/output/${id}`);
      await page.getByRole("heading", { name: "The output" }).waitFor();
      await answered(page);
      const closed = await page.locator("details:not([open]) > summary").all();
      for (const record of closed.slice(0, 4)) await record.click();
    }
    expect(await page.evaluate("globalThis.pwned")).toBeUndefined();
    const made = page.locator("main").locator("script, img, svg, style, iframe, b b");
    expect(await made.count()).toBe(0);
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
    expect(await page.evaluate(UNSEEN)).toBe(false);
    await session.close();
  });

  it("counts no tokens of an encrypted output, and asks any other with a command that answers", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    const key = { id: "k", key: new Uint8Array(32) };
    const value = JSON.stringify("x".repeat(600_000));
    for (const [sessionId, kept] of [
      ["sealed", encrypted(store, { current: key })],
      ["plain", store],
    ] as const) {
      const offloader = createOffloader({ store: kept });
      await offloader.offload({ toolName: "t", value, sessionId });
      await offloader.close();
    }
    const inspector = await serve({ directory });
    const { page } = await open(inspector.address);
    await page.goto(`${inspector.origin}/#/session/${sessionKeyOf("sealed")}`);
    await page.getByText("encrypted").first().waitFor();
    await answered(page);
    expect(await page.locator("main").textContent()).not.toContain("tokens");
    const { artifacts } = await listDirectory(directory, Date.now());
    const { id = "" } = artifacts.find(({ sealed }) => sealed === undefined) ?? {};
    await page.goto(`${inspector.origin}/#/output/${id}`);
    const command = await page.locator("pre", { hasText: "npx langchain-offload" }).textContent();
    const words = command?.replaceAll("'", "").split(" ") ?? [];
    expect(await runHere(words.slice(2))).toMatchObject({ code: 0 });
  });

  it("leaves no token in the address, the history or a script's reach, and nothing for another page", async () => {
    const directory = await makeDirectory();
    const inspector = await serve({ directory });
    const { page } = await open(inspector.address);
    expect(page.url()).toBe(`${inspector.origin}/`);
    const places =
      "[document.cookie, location.href, document.referrer, performance.getEntriesByType('navigation')[0].name].join()";
    expect(await page.evaluate(places)).not.toContain(tokenOf(inspector));
    await page.reload();
    await page.locator("main h1").waitFor();
    const other = await serve({ directory });
    // Its page is of the same site, at another port, and has a cookie of its own.
    const foreignPage = await page.context().newPage();
    await foreignPage.goto(other.address);
    const answer = await foreignPage.evaluate(
      `fetch("${inspector.origin}/api/about", { credentials: "include" }).then((r) => r.status, () => "refused")`,
    );
    expect(answer).toBe("refused");
  });

  it("shows 3,000 outputs, a page at a time", async () => {
    const directory = await makeDirectory();
    await threeThousand(directory);
    const inspector = await serve({ directory });
    const { page, faults } = await open(inspector.address);
    await page.getByText("1 to 50 of 3,000", { exact: true }).waitFor();
    expect(await page.locator(".list > li").count()).toBeLessThan(100);
    const list = page.locator("section", { has: page.getByLabel("Stored outputs") });
    const newest = await list.getByRole("link").first().getAttribute("href");
    await list.getByRole("button", { name: "Last", exact: true }).click();
    await list.getByText("2,951 to 3,000 of 3,000").waitFor();
    expect(await list.getByRole("link").first().getAttribute("href")).not.toBe(newest);
    expect(faults).toEqual([]);
  });
});

/** One output, and copies of its two files under other ids. */
async function threeThousand(directory: string): Promise<void> {
  const createdAt = Date.now();
  const first = contractArtifact(1, { createdAt });
  await fileStore({ directory }).put(first, [Buffer.from("1")]);
  const record = readFileSync(join(directory, `.atlatl-${first.id}.json`), "utf8");
  for (let n = 1; n < 3_000; n += 1) {
    const id = newArtifactId(createdAt + n);
    writeFileSync(join(directory, first.fileName.replace(first.id, id)), "1", { mode: 0o600 });
    const copy = record.replaceAll(first.id, id);
    writeFileSync(join(directory, `.atlatl-${id}.json`), copy, { mode: 0o600 });
  }
}

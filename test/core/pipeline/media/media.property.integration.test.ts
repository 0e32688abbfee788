import { createResolver } from "../../../../src/plugins/references/reference-value.js";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import { internals } from "../../../../src/core/pipeline/offloader.js";
import { readReference } from "../../../../src/plugins/references/reference.js";
import type { ArtifactStore } from "../../../../src/core/store/artifact-store.js";
import { encrypted } from "../../../../src/stores/encrypted/index.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import { openableStores } from "../../store/opened-stores.js";
import { png } from "./samples.js";
import { media } from "../../../../src/plugins/media/media.js";

const SESSION = "session";
const HEADS = [
  png(3, 2, 0).subarray(0, 33),
  Buffer.from("%PDF-1.4\n"),
  Buffer.from([0xff, 0xfe, 0]),
];
/** Images, documents and bytes of no type, of any size around a threshold. */
const file = fc
  .tuple(fc.constantFrom(...HEADS), fc.uint8Array({ minLength: 60, maxLength: 5_000 }))
  .map(([head, rest]) => Buffer.concat([head, rest, Buffer.from("IEND")]));

const SHAPES: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  standard: (bytes) => [
    { type: "text", text: "here" },
    { type: "image", mimeType: "image/png", data: bytes.toString("base64") },
  ],
  openai: (bytes) => [
    { type: "image_url", image_url: { url: `data:image/png;base64,${bytes.toString("base64")}` } },
  ],
  mcp: (bytes) => [
    { type: "resource", resource: { uri: "file:///a.bin", blob: bytes.toString("base64") } },
  ],
  bytes: (bytes) => [{ type: "file", mimeType: "application/pdf", data: new Uint8Array(bytes) }],
  whole: (bytes) => new Uint8Array(bytes),
  blob: (bytes) => new Blob([new Uint8Array(bytes)], { type: "image/png" }),
};

const stores = await openableStores();

/** The bytes as every way back gives them. */
async function waysBack(offloader: Offloader, id: string): Promise<Record<string, Uint8Array>> {
  const sessionKey = sessionKeyOf(SESSION);
  const artifact = await offloader.store.stat(id, sessionKey);
  if (artifact === undefined) throw new Error("It is not there.");
  const parts: Uint8Array[] = [];
  for (let start = 0; start < artifact.sizeBytes; start += 777) {
    parts.push(await offloader.store.read(artifact, { start, end: start + 777 }));
  }
  const { reference } = readReference({ $output: id }) ?? {};
  if (reference === undefined) throw new Error("It is no reference.");
  const use = { toolName: "ocr", parameter: "image", maxBytes: 1e6, expected: "text" } as const;
  const { value } = await createResolver(internals(offloader).core.drillIns())(
    reference,
    { sessionKey },
    use,
  );
  const viewed = await offloader.drillIn.run("view", { id }, { sessionKey });
  const shown = viewed.shown && { view: Buffer.from(viewed.shown.base64, "base64") };
  return {
    read: await offloader.store.read(artifact),
    ranges: Buffer.concat(parts),
    reference: Buffer.from(String(value), "base64"),
    ...shown,
  };
}

async function check(store: ArtifactStore, numRuns: number): Promise<void> {
  const offloader = createOffloader({
    store,
    plugins: [media({ threshold: { bytes: 50 }, views: ["image", "pdf"] })],
  });
  let views = 0;
  try {
    await fc.assert(
      fc.asyncProperty(file, fc.constantFrom(...Object.keys(SHAPES)), async (bytes, shape) => {
        const value = SHAPES[shape]?.(bytes);
        const result = await offloader.offload({ toolName: "shot", value, sessionId: SESSION });
        const stored =
          result.outcome === "offloaded"
            ? result.storedArtifact
            : result.outcome === "inline"
              ? result.media?.[0]
              : undefined;
        expect(stored?.sizeBytes).toBe(bytes.length);
        const ways = await waysBack(offloader, stored?.id ?? "");
        for (const [way, back] of Object.entries(ways)) {
          expect({ way, same: Buffer.compare(back, bytes) }).toEqual({ way, same: 0 });
        }
        if ("view" in ways) views += 1;
      }),
      { numRuns },
    );
    expect(views).toBeGreaterThan(0);
  } finally {
    await offloader.close();
  }
}

describe("media come back byte for byte by every way: read, ranges, reference and view", () => {
  it("from memory, and encrypted", async () => {
    await check(memoryStore(), 80);
    const keys = { current: { id: "k", key: Buffer.alloc(32, 7) } };
    await check(encrypted(memoryStore(), keys), 15);
  });

  for (const [name, available, open] of stores)
    it.skipIf(!available)(`from ${name}`, async () => await check((await open()).store(), 8));
});

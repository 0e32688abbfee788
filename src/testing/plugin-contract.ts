import { createOffloader } from "../core/pipeline/create-offloader.js";
import type { Offloader } from "../core/pipeline/offloader.js";
import type { OffloadOptions } from "../core/options/options.js";
import { memoryStore } from "../core/store/memory.js";
import type { OffloadEvent } from "../core/types/events.js";
import type { ToolOutput } from "../core/types/output.js";
import type { OffloadPlugin } from "../core/types/plugin.js";
import type { StoreContractTools } from "./store-contract/contract-artifact.js";

const SESSION = "contract";
const TEXT = "A line of the plugin contract, with ümläuts and 漢字.\n".repeat(500);
const RECORDS = Array.from({ length: 400 }, (_, id) => ({ id, city: "Oslo", note: "ok" }));

const VALUES: Readonly<Record<string, () => unknown>> = {
  "a short text": () => "ok",
  nothing: () => undefined,
  "a long text": () => TEXT,
  "many records": () => JSON.stringify(RECORDS),
  "content blocks": () => [
    { type: "text", text: TEXT },
    { type: "image_url", image_url: "data:image/png;base64,iVBORw0KGgo=" },
  ],
  "a stream of text": () => streamOf([TEXT.slice(0, 10_000), TEXT.slice(10_000)]),
};

function outputOf(value: unknown): ToolOutput {
  return { toolName: "contract_tool", value, sessionId: SESSION, toolCallId: "call-1" };
}

/**
 * Registers the tests that every plugin must pass: it serves several offloaders, takes any output of a tool, fails no
 * call, leaves a tool's own errors to the caller, keeps working beside a failing store, and ends.
 * @param name - Name of the suite.
 * @param factory - Creates the plugin. Called once when the tests are registered, and for each test. A `plugin-failed`
 * event of the plugin fails its test, so the services that it needs must answer.
 * @param tools - `describe`, `it` and `expect` of the runner.
 */
export function pluginContract(
  name: string,
  factory: () => OffloadPlugin,
  { describe, it, expect }: StoreContractTools,
): void {
  async function use(run: (offloader: Offloader) => Promise<void>, more: OffloadOptions = {}) {
    const plugin = factory();
    const faults: OffloadEvent[] = [];
    const offloader = createOffloader({
      store: memoryStore(),
      ...more,
      plugins: [plugin],
      onEvent: (event) => {
        if (event.type === "plugin-failed" && event.plugin === plugin.name) faults.push(event);
      },
    });
    try {
      await run(offloader);
    } finally {
      await offloader.endSession(SESSION);
      await offloader.close();
    }
    expect(faults).toEqual([]);
  }

  async function take(offloader: Offloader, value: unknown) {
    const { outcome } = await offloader.offload(outputOf(value));
    expect(["inline", "offloaded", "truncated"].includes(outcome)).toEqual(true);
  }

  describe(`plugin contract: ${name}`, () => {
    it("serves several offloaders at once", async () => {
      const plugin = factory();
      const both = [1, 2].map(() => createOffloader({ store: memoryStore(), plugins: [plugin] }));
      for (const offloader of both) await take(offloader, TEXT);
      await Promise.all(both.map((offloader) => offloader.close()));
    });

    const { name: own } = factory();
    const isOff = { perTool: { contract_tool: { plugins: { [own]: false } } } };
    for (const [what, make] of Object.entries(VALUES)) {
      it(`takes ${what}, also where it is switched off`, async () => {
        await use((offloader) => take(offloader, make()));
        await use((offloader) => take(offloader, make()), isOff);
      });
    }

    it("leaves what a tool's own stream throws to the caller", () =>
      use(async (offloader) => {
        const fault = new Error("the tool's own");
        const thrown = await offloader.offload(outputOf(streamOf([TEXT], fault))).then(
          () => fault,
          (error: unknown) => error,
        );
        expect(thrown === fault).toEqual(true);
      }));

    it("fails no call while the store fails", () => {
      const store = { ...memoryStore(), put: () => Promise.reject(new Error("full")) };
      return use((offloader) => take(offloader, TEXT), { store });
    });

    it("answers any call of its tools with a text", () =>
      use(async (offloader) => {
        await offloader.offload(outputOf(TEXT));
        for (const { run } of offloader.tools(SESSION)) {
          for (const args of [{}, { id: "none" }, "no object", null, { id: 7, filter: [] }]) {
            expect(typeof (await run(args)).text).toEqual("string");
          }
        }
      }));
  });
}

async function* streamOf(pieces: readonly string[], fault?: Error): AsyncGenerator<string> {
  for (const piece of pieces) yield await Promise.resolve(piece);
  if (fault !== undefined) throw fault;
}

import { createOffloader } from "../core/pipeline/create-offloader.js";
import type { Offloader } from "../core/pipeline/offloader.js";
import type { OffloadOptions } from "../core/options/options.js";
import { memoryStore } from "../core/store/memory.js";
import type { OffloadEvent } from "../core/types/events.js";
import type { ToolOutput } from "../core/types/output.js";
import type { OffloadPlugin, PluginHooks } from "../core/types/plugin.js";
import type { OffloadResult } from "../core/types/result.js";
import type { StoreContractTools } from "./store-contract/contract-artifact.js";

/** `describe`, `it` and `expect` of the runner. */
export type PluginContractTools = StoreContractTools;

interface Rig {
  readonly offloader: Offloader;
  readonly events: readonly OffloadEvent[];
}

const SESSION = "contract";
const TEXT = "A line of the plug-in contract, with ümläuts and 漢字.\n".repeat(500);
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

const FAULTY: readonly PluginHooks[] = [
  { wrapOutput: () => Promise.reject(new Error("before")) },
  {
    wrapOutput: async ({ output, ...call }, next) => {
      await next({ ...call, output: { ...output, title: "changed" } });
      throw new Error("after a change");
    },
  },
  { describe: fail, onOutput: fail, onEvent: fail },
];

function outputOf(value: unknown): ToolOutput {
  return { toolName: "contract_tool", value, sessionId: SESSION, toolCallId: "call-1" };
}

/**
 * Registers the tests that every plug-in must pass: it serves several offloaders, takes any output of a tool, fails no
 * call, leaves a tool's own errors to the caller, keeps working beside failing plug-ins and stores, and ends.
 * @param name - Name of the suite.
 * @param factory - Creates the plug-in. Called for each test.
 * @param tools - `describe`, `it` and `expect` of the runner.
 */
export function pluginContract(
  name: string,
  factory: () => OffloadPlugin,
  { describe, it, expect }: PluginContractTools,
): void {
  function opened(others: readonly OffloadPlugin[] = [], more: OffloadOptions = {}): Rig {
    const events: OffloadEvent[] = [];
    const offloader = createOffloader({
      store: memoryStore(),
      ...more,
      plugins: [factory(), ...others],
      onEvent: (event) => void events.push(event),
    });
    return { offloader, events };
  }

  async function use(rig: Rig, run: (rig: Rig) => Promise<void>): Promise<void> {
    try {
      await run(rig);
    } finally {
      await rig.offloader.endSession(SESSION);
      await rig.offloader.close();
    }
    const [plugin] = rig.offloader.options.plugins;
    const faults = rig.events.filter(
      (event) => event.type === "plugin-failed" && event.plugin === plugin?.name,
    );
    expect(faults).toEqual([]);
  }

  function isResult({ outcome }: OffloadResult): void {
    expect(["inline", "offloaded", "truncated"].includes(outcome)).toBe(true);
  }

  describe(`plug-in contract: ${name}`, () => {
    it("serves several offloaders at once", async () => {
      const plugin = factory();
      const both = [1, 2].map(() => createOffloader({ store: memoryStore(), plugins: [plugin] }));
      for (const offloader of both) isResult(await offloader.offload(outputOf(TEXT)));
      await Promise.all(both.map((offloader) => offloader.close()));
    });

    const { name: own } = factory();
    const isOff = { perTool: { contract_tool: { plugins: { [own]: false } } } };
    for (const [what, make] of Object.entries(VALUES)) {
      const take = async ({ offloader }: Rig): Promise<void> =>
        isResult(await offloader.offload(outputOf(make())));
      it(`takes ${what}, also where it is switched off, and beside plug-ins that fail`, async () => {
        await use(opened(), take);
        await use(opened([], isOff), take);
        for (const hooks of FAULTY) {
          await use(opened([{ name: "contract-fault", setup: () => hooks }]), take);
        }
      });
    }

    it("leaves what a tool's own stream throws to the caller", () =>
      use(opened(), async ({ offloader }) => {
        const fault = new Error("the tool's own");
        const thrown = await offloader.offload(outputOf(streamOf([TEXT], fault))).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(thrown === undefined || thrown === fault).toBe(true);
      }));

    it("fails no call while the store fails", () => {
      const store = { ...memoryStore(), put: () => Promise.reject(new Error("full")) };
      return use(opened([], { store }), async ({ offloader }) =>
        isResult(await offloader.offload(outputOf(TEXT))),
      );
    });

    it("answers any call of its tools with a text", () =>
      use(opened(), async ({ offloader }) => {
        await offloader.offload(outputOf(TEXT));
        for (const { run } of offloader.tools(SESSION)) {
          for (const args of [{}, { id: "none" }, "no object", null, { id: 7, filter: [] }]) {
            const { text } = await run(args);
            expect(typeof text).toBe("string");
          }
        }
      }));
  });
}

function fail(): never {
  throw new Error("a plug-in of the contract");
}

async function* streamOf(pieces: readonly string[], fault?: Error): AsyncGenerator<string> {
  for (const piece of pieces) yield await Promise.resolve(piece);
  if (fault !== undefined) throw fault;
}

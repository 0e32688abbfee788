import { codePlugin } from "../../../../src/plugins/code/code.js";
import { type CodeOptions, resolveCode } from "../../../../src/plugins/code/options.js";
import type { OffloadPlugin } from "../../../../src/core/types/plugin.js";
import type {
  CodeBody,
  CodeEngine,
  CodeRequest,
  CodeResult,
} from "../../../../src/plugins/code/request.js";

/** What a played run may use. */
type Guest = (
  tools: Readonly<Record<string, (args?: unknown) => Promise<unknown>>>,
  outputs: { lines(id: string): Promise<string[]> },
  print: (text: unknown) => void,
) => Promise<unknown>;

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...source: string[]
) => Guest;

const NOTHING: CodeResult = {
  returned: undefined,
  printed: undefined,
  read: [],
  fault: undefined,
  outOfMemory: false,
  timedOut: false,
};

/**
 * An engine that runs the code in this very process.
 *
 * @param killAfterMs - Ends each run after so long, as a time limit does.
 */
export function playedEngine(options: CodeOptions = {}, killAfterMs?: number): OffloadPlugin {
  const close = async (): Promise<void> => {};
  const engine: CodeEngine = {
    run: (request, signal) => play(request, signal, killAfterMs),
    warm: () => {},
    close,
  };
  return codePlugin(resolveCode(options), () => engine);
}

/** Of a body in memory. */
function recordsOf({ source }: CodeBody): unknown[] {
  if (!("bytes" in source)) throw new Error("There are no files here.");
  const lines = Buffer.from(source.bytes).toString("utf8").trim().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

async function play(
  { code, host }: CodeRequest,
  signal: AbortSignal | undefined,
  killAfterMs: number | undefined,
): Promise<CodeResult> {
  let index = 0;
  const printed: string[] = [];
  return await new Promise<CodeResult>((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    if (killAfterMs !== undefined) {
      setTimeout(() => resolve({ ...NOTHING, timedOut: true }), killAfterMs);
    }
    const call = (toolName: string, args: unknown = {}): Promise<unknown> =>
      new Promise((give, throws) => {
        const { tools: given } = host;
        if (given === undefined) throw new Error("There are no tools.");
        const made = { toolName, args, index: index++ };
        const hear = async (): Promise<void> => {
          const result = await given.call(made);
          if ("error" in result) throws(new Error(result.error));
          else if ("json" in result) give(JSON.parse(result.json));
          else give(recordsOf(await host.open(result.storedId)));
        };
        hear().catch(reject);
      });
    const tools = new Proxy(
      {},
      {
        get: (_, name) =>
          name === "then" ? undefined : (args?: unknown) => call(String(name), args),
      },
    );
    const outputs = { lines: async (id: string) => [(await host.open(id)).id] };
    const guest = new AsyncFunction("tools", "outputs", "print", code);
    guest(tools, outputs, (text) => printed.push(String(text))).then(
      (value) =>
        resolve({
          ...NOTHING,
          returned:
            value === undefined
              ? undefined
              : typeof value === "string"
                ? { form: "text", text: value }
                : { form: "json", text: JSON.stringify(value) },
          printed: printed.length === 0 ? undefined : { form: "text", text: printed.join("\n") },
        }),
      (error: unknown) => resolve({ ...NOTHING, fault: { message: String(error) } }),
    );
  });
}

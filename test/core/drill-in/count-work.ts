import { Session } from "node:inspector/promises";

/** Methods of texts that take time in proportion to the text they are called on. */
const TEXT_METHODS = [
  ..."endsWith includes indexOf isWellFormed lastIndexOf localeCompare match".split(" "),
  ..."matchAll normalize replace replaceAll search split toLowerCase toUpperCase".split(" "),
  "toWellFormed",
];
/** Those that look at the blanks at the ends alone; a flat text is needed all the same. */
const TRIMS = ["trim", "trimEnd", "trimStart"] as const;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Counts the work of this thread. */
export interface WorkCounter {
  /**
   * The work while `run` runs, the same each time: how often each block of code is executed, and for what the
   * engine does by itself (searching, parsing) the length of what it is done to.
   */
  count(run: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** Starts counting, which makes this thread slow. */
export async function startWorkCounter(): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  let units = 0;
  const restore = countNative((more) => {
    units += more;
  });
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return {
    async count(run) {
      // Taking the counts sets them back.
      await session.post("Profiler.takePreciseCoverage");
      units = 0;
      await run();
      let work = units;
      const { result } = await session.post("Profiler.takePreciseCoverage");
      for (const script of result) {
        for (const { ranges } of script.functions) for (const { count } of ranges) work += count;
      }
      return work;
    },
    async stop() {
      restore();
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}

function countNative(add: (units: number) => void): () => void {
  const undo: (() => void)[] = [];
  function wrap(
    owner: object,
    name: string,
    unitsOf: (self: unknown, args: unknown[]) => number,
  ): void {
    const original: Method = Reflect.get(owner, name);
    const wrapped: Method = function (...args) {
      add(unitsOf(this, args));
      return Reflect.apply(original, this, args);
    };
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { ...descriptor, value: wrapped });
    undo.push(() => Object.defineProperty(owner, name, descriptor ?? {}));
  }
  const own = (self: unknown): number => String(self).length;
  for (const name of TEXT_METHODS) wrap(String.prototype, name, own);
  for (const name of TRIMS) wrap(String.prototype, name, own);
  wrap(RegExp.prototype, "exec", (self, [text]) => restOf(self, text));
  wrap(RegExp.prototype, "test", (self, [text]) => restOf(self, text));
  wrap(JSON, "parse", (_, [text]) => String(text).length);
  wrap(Buffer, "byteLength", (_, [text]) => (typeof text === "string" ? text.length : 1));
  wrap(Array.prototype, "indexOf", lengthOf);
  wrap(Array.prototype, "includes", lengthOf);
  wrap(Array.prototype, "shift", lengthOf);
  wrap(Array.prototype, "splice", lengthOf);
  return () => {
    for (const back of undo.toReversed()) back();
  };
}

function lengthOf(self: unknown): number {
  return Array.isArray(self) ? self.length : 1;
}

/** What an expression has before it: one that goes on from place to place is counted once for each place. */
function restOf(self: unknown, text: unknown): number {
  if (!(self instanceof RegExp) || self.sticky || self.global) return 1;
  // An anchor is not looked for behind the start.
  return self.source.startsWith("^") ? 1 : String(text).length;
}

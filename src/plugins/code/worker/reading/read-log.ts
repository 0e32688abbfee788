import type { CodeResult } from "../../request.js";

type Entry = CodeResult["read"][number];

/** A pass over an output. */
interface ReadPass {
  add(count: number): void;
  /** Notes an integer in it that the code gets as another one. */
  rounded(integer: string): void;
  /** @param untaken - How much of what was added was not taken. */
  end(isWhole: boolean, untaken?: number): void;
}

/** Keeps what a run reads: one entry for each output and unit, that of its longest pass. */
export interface ReadLog {
  begin(id: string, unit: Entry["unit"]): ReadPass;
  entries(): readonly Entry[];
}

interface Passes {
  readonly id: string;
  readonly unit: Entry["unit"];
  longest: number;
  isWhole: boolean;
  rounded?: string;
  /** Counts of those that go on. */
  readonly open: Map<number, number>;
}

export function createReadLog(): ReadLog {
  const outputs = new Map<string, Passes>();
  let keys = 0;
  return {
    begin(id, unit) {
      const name = `${unit} ${id}`;
      const passes: Passes = outputs.get(name) ?? {
        id,
        unit,
        longest: 0,
        isWhole: false,
        open: new Map(),
      };
      outputs.set(name, passes);
      const key = (keys += 1);
      passes.open.set(key, 0);
      return {
        add: (count) => passes.open.set(key, (passes.open.get(key) ?? 0) + count),
        rounded(integer) {
          passes.rounded ??= integer;
        },
        end(isWhole, untaken = 0) {
          const count = Math.max(0, (passes.open.get(key) ?? 0) - untaken);
          passes.open.delete(key);
          passes.longest = Math.max(passes.longest, count);
          passes.isWhole ||= isWhole;
        },
      };
    },
    entries: () =>
      [...outputs.values()].map(({ id, unit, longest, isWhole, rounded, open }) => {
        const count = Math.max(longest, ...open.values());
        return { id, unit, count, isWhole, ...(rounded !== undefined && { rounded }) };
      }),
  };
}

import type { CodeResult } from "../../request.js";

type Entry = CodeResult["read"][number];

/** A pass over an output. */
interface ReadPass {
  add(count: number): void;
  /** Notes the first integer in it that the code gets as another one; looks no further once there is one. */
  checkIntegers(look: () => string | undefined): void;
  /** @param untaken - How much of what was added was not taken. */
  end(isWhole: boolean, untaken?: number): void;
}

/** Keeps what a run reads: one entry for each output and unit, that of its longest pass. */
export interface ReadLog {
  begin(id: string, unit: Entry["unit"]): ReadPass;
  entries(): readonly Entry[];
}

interface Passes {
  longest: number;
  isWhole: boolean;
  rounded?: string | undefined;
  /** Counts of those that go on. */
  readonly open: Set<{ count: number }>;
}

export function createReadLog(): ReadLog {
  const outputs = new Map<string, Passes & Pick<Entry, "id" | "unit">>();
  return {
    begin(id, unit) {
      const key = `${unit} ${id}`;
      const passes = outputs.get(key) ?? { id, unit, longest: 0, isWhole: false, open: new Set() };
      outputs.set(key, passes);
      const own = { count: 0 };
      passes.open.add(own);
      return {
        add(count) {
          own.count += count;
        },
        checkIntegers(look) {
          passes.rounded ??= look();
        },
        end(isWhole, untaken = 0) {
          passes.open.delete(own);
          passes.longest = Math.max(passes.longest, own.count - untaken);
          passes.isWhole ||= isWhole;
        },
      };
    },
    entries: () =>
      [...outputs.values()].map(({ longest, open, ...entry }) => ({
        ...entry,
        count: Math.max(longest, ...[...open].map(({ count }) => count)),
      })),
  };
}

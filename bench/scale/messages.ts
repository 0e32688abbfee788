/** What every process of agents is told when it begins. */
export interface Opening {
  readonly service: "postgres" | "redis";
  /** Whether outputs take the whole pipeline, or their bytes go to the store as they are. */
  readonly via: "offloader" | "store";
  readonly agents: number;
  /** Tells the processes' sessions and random numbers apart. */
  readonly process: number;
  /** Connections of the process's pool. */
  readonly connections: number;
  readonly ttlMs: number;
  readonly sweepIntervalMs: number;
}

/** One piece of work, the same for every process. */
export interface Load {
  /** Of this process. */
  readonly outputsPerSecond: number;
  readonly seconds: number;
}

export type Message =
  | { readonly job: "open"; readonly opening: Opening }
  | { readonly job: "load"; readonly load: Load }
  | { readonly job: "close" };

/** What a process has measured under a load; times in milliseconds, of whoever waited from the moment it was due. */
export interface Figures {
  /** An output, until its descriptor is there. */
  readonly store: number[];
  /** Of it, the call of the store. */
  readonly put: number[];
  /** A drill-in, until its answer is there. */
  readonly drillIn: number[];
  /** Of it, each call of the store that reads a body. */
  readonly fetch: number[];
  readonly sweep: number[];
  /** What was refused or failed, by its first words. */
  readonly faults: Record<string, number>;
  /** Outputs and drill-ins that were done before the load's time was over. */
  readonly inTime: Record<"store" | "drillIn", number>;
  /** Those that were not done some seconds after the load had ended; what they had waited by then is in the times. */
  unfinished: number;
  storedBytes: number;
  swept: number;
  /** Bytes that were stored and not swept when the load's time was over, of this process and whatever it did before. */
  livingBytes: number;
  /** Of a processor, for this process and its workers, what the making of texts took left out. */
  processorMs: number;
  makingMs: number;
  rssBytes: number;
}

export function noFigures(): Figures {
  return {
    store: [],
    put: [],
    drillIn: [],
    fetch: [],
    sweep: [],
    faults: {},
    inTime: { store: 0, drillIn: 0 },
    unfinished: 0,
    storedBytes: 0,
    swept: 0,
    livingBytes: 0,
    processorMs: 0,
    makingMs: 0,
    rssBytes: 0,
  };
}

/** Counts a fault; those that differ by a number or an id are one. */
export function noteFault({ faults }: Figures, text: string): void {
  const words = text
    .slice(0, 140)
    .replaceAll(/\b[0-9A-Z]{26}\b/g, "#")
    .replaceAll(/\d[\d,.]*/g, "#");
  faults[words] = (faults[words] ?? 0) + 1;
}

/** The figures of several processes as those of one. */
export function merged(all: readonly Figures[]): Figures {
  const sum = noFigures();
  for (const figures of all) {
    for (const key of ["store", "put", "drillIn", "fetch", "sweep"] as const) {
      for (const time of figures[key]) sum[key].push(time);
    }
    for (const [fault, count] of Object.entries(figures.faults)) {
      sum.faults[fault] = (sum.faults[fault] ?? 0) + count;
    }
    sum.inTime.store += figures.inTime.store;
    sum.inTime.drillIn += figures.inTime.drillIn;
    for (const key of SUMS) sum[key] += figures[key];
  }
  return sum;
}

const SUMS = [
  "unfinished",
  "storedBytes",
  "swept",
  "livingBytes",
  "processorMs",
  "makingMs",
  "rssBytes",
] as const;

/** The time that a share of the others does not exceed; `NaN` of none. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

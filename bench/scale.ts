import type { BenchRow } from "./harness.js";
import { type Outcome, startFleet } from "./scale/fleet.js";
import type { Opening } from "./scale/messages.js";
import { scaleRows } from "./scale/rows.js";
import { sizeRows } from "./scale/sizes.js";
import { openPostgres, openRedis, type Service } from "./scale/services.js";

const PROCESSES = 10;
const AGENTS = 100;
/** An agent has a large output every half minute. */
const OUTPUTS_PER_SECOND = (PROCESSES * AGENTS) / 30;
const TIMES_THE_LOAD = 10;
/** Outputs of a run over one store: `SCALE_OUTPUTS=100000` for the whole, which takes ten minutes. */
const OUTPUTS = Number(process.env["SCALE_OUTPUTS"] ?? 1_500);
/** As agents have it, or the bytes alone, `SCALE_VIA=store`, which tells what the database carries. */
const VIA = process.env["SCALE_VIA"] === "store" ? "store" : "offloader";
/** One of the two, for half of the time. */
const ONLY = process.env["SCALE_STORE"];

const OPENING: Omit<Opening, "service" | "process"> = {
  via: VIA,
  agents: AGENTS,
  connections: Number(process.env["SCALE_CONNECTIONS"] ?? 4),
  // Outputs live hours and tests seconds: what is stored is swept while they run.
  ttlMs: Number(process.env["SCALE_LIFE_SECONDS"] ?? 8) * 1000,
  sweepIntervalMs: 2_000,
};

/**
 * 1,000 agents in 10 processes over one database of this machine: outputs that come when they come, questions after
 * them, sweeps beside them; then ten times as many.
 */
export async function benchScale(): Promise<BenchRow[]> {
  const seconds = OUTPUTS / (OUTPUTS_PER_SECOND * (1 + TIMES_THE_LOAD));
  const rows: BenchRow[] = [];
  for (const open of [openPostgres, openRedis]) {
    const service = await open();
    if (service === undefined) continue;
    try {
      if (ONLY !== undefined && ONLY !== service.name) continue;
      const [once, tenfold] = await simulate(service, seconds);
      rows.push(...scaleRows(service.name, once, tenfold));
    } finally {
      await service.close();
    }
  }
  return rows;
}

/** Large bodies in the databases against S3. */
export async function benchSizes(): Promise<BenchRow[]> {
  return [...(await sizeRows())];
}

async function simulate(service: Service, seconds: number): Promise<readonly [Outcome, Outcome]> {
  const fleet = await startFleet(service, PROCESSES, OPENING);
  try {
    const outputsPerSecond = OUTPUTS_PER_SECOND / PROCESSES;
    const once = await fleet.load({ outputsPerSecond, seconds });
    const tenfold = { outputsPerSecond: outputsPerSecond * TIMES_THE_LOAD, seconds };
    return [once, await fleet.load(tenfold)];
  } finally {
    await fleet.close();
  }
}

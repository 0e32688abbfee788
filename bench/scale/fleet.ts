import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";

import { type Figures, type Load, type Message, merged, type Opening } from "./messages.js";
import { machineMs } from "./processor-time.js";
import type { Service } from "./services.js";

/** What came of one load over all processes. */
export interface Outcome {
  readonly offeredPerSecond: number;
  readonly seconds: number;
  readonly figures: Figures;
  /** Of a processor, while the load and what was late of it ran. */
  readonly databaseMs: number;
  /** Share of the machine's processors that was busy during the load. */
  readonly busyShare: number;
  readonly connections: number;
  /** When the load's time was over. */
  readonly heldBytes: number;
  readonly loggedBytes: number;
}

/** Processes of agents over one service. */
export interface Fleet {
  load(load: Load): Promise<Outcome>;
  close(): Promise<void>;
}

type Reply = { readonly value: unknown } | { readonly error: string };

export async function startFleet(
  service: Service,
  processes: number,
  opening: Omit<Opening, "process" | "service">,
): Promise<Fleet> {
  const children = Array.from({ length: processes }, () =>
    fork(new URL("./agents.ts", import.meta.url)),
  );
  const tell = (message: (number: number) => Message): Promise<unknown[]> =>
    Promise.all(children.map((child, number) => ask(child, message(number))));
  const end = (): void => {
    for (const child of children) child.kill("SIGKILL");
  };
  try {
    await tell((number) => ({
      job: "open",
      opening: { ...opening, service: service.name, process: number },
    }));
  } catch (error) {
    end();
    throw error;
  }

  return {
    async load(load) {
      const outputsPerSecond = load.outputsPerSecond * processes;
      const loggedBefore = await service.loggedBytes();
      const databaseBefore = service.processorMs();
      const machineBefore = machineMs();
      const running = tell(() => ({ job: "load", load }));
      let connections = 0;
      const watch = async (): Promise<void> => {
        for (let second = 0; second < load.seconds; second += 1) {
          if (second % 10 === 0) tellProgress(service, outputsPerSecond, second, load.seconds);
          await wait(1000);
          connections = Math.max(connections, await service.connections());
        }
      };
      await Promise.race([watch(), running]);
      const machineAfter = machineMs();
      const heldBytes = await service.heldBytes();
      const figures = merged((await running) as Figures[]);
      for (const [fault, count] of Object.entries(figures.faults)) {
        console.error(`  failed ${count} times: ${fault}`);
      }
      const busy = machineAfter.busy - machineBefore.busy;
      return {
        offeredPerSecond: outputsPerSecond,
        seconds: load.seconds,
        figures,
        databaseMs: service.processorMs() - databaseBefore,
        busyShare: busy / (busy + machineAfter.idle - machineBefore.idle),
        connections,
        heldBytes,
        loggedBytes: (await service.loggedBytes()) - loggedBefore,
      };
    },
    async close() {
      try {
        if (children.every(({ connected }) => connected)) await tell(() => ({ job: "close" }));
      } finally {
        end();
      }
    },
  };
}

function tellProgress({ name }: Service, rate: number, second: number, seconds: number): void {
  console.error(`  ${name}, ${rate.toFixed(0)} a second: ${second} of ${seconds.toFixed(0)} s`);
}

/** Sends a message and waits for the reply, or the end of the process. */
function ask(child: ChildProcess, message: Message): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`A process of agents has ended with ${String(code)}.`));
    child.once("exit", onExit);
    child.once("message", (reply: Reply) => {
      child.off("exit", onExit);
      if ("error" in reply) reject(new Error(reply.error));
      else resolve(reply.value);
    });
    child.send(message);
  });
}

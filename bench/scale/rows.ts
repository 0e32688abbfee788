import { type BenchRow, row } from "../harness.js";
import type { Outcome } from "./fleet.js";
import { percentile } from "./messages.js";

/** What 1,000 agents meet, and what ten times the load does to them. */
export function scaleRows(service: string, once: Outcome, tenfold: Outcome): readonly BenchRow[] {
  const rowOf = (
    what: string,
    figure: (outcome: Outcome) => number,
    show: (figure: number) => string,
  ): BenchRow => {
    const [ours, other] = [figure(once), figure(tenfold)];
    return row({
      group: "scale",
      name: `${what}, ${service}`,
      ours: show(ours),
      other: `${show(other)} (ten times the load)`,
      ratio: ours > 0 ? `${(other / ours).toFixed(1)}x` : "-",
    });
  };
  const failed = ({ figures }: Outcome): number =>
    Object.values(figures.faults).reduce((sum, count) => sum + count, 0);
  return [
    rowOf(
      `outputs stored a second of ${count(once.offeredPerSecond)}`,
      (o) => o.figures.inTime.store / o.seconds,
      count,
    ),
    rowOf("questions answered a second", (o) => o.figures.inTime.drillIn / o.seconds, count),
    rowOf("to store an output, 50th percentile", (o) => percentile(o.figures.store, 0.5), ms),
    rowOf("to store an output, 99th percentile", (o) => percentile(o.figures.store, 0.99), ms),
    rowOf("of it the database, 99th percentile", (o) => percentile(o.figures.put, 0.99), ms),
    rowOf("to answer a question, 50th percentile", (o) => percentile(o.figures.drillIn, 0.5), ms),
    rowOf("to answer a question, 99th percentile", (o) => percentile(o.figures.drillIn, 0.99), ms),
    rowOf("a sweep, 99th percentile", (o) => percentile(o.figures.sweep, 0.99), ms),
    rowOf("processor time of the agents an output", (o) => share(o, o.figures.processorMs), ms),
    rowOf("processor time of the database an output", (o) => share(o, o.databaseMs), ms),
    rowOf("processors of the machine in use", ({ busyShare }) => 100 * busyShare, percent),
    rowOf("connections", ({ connections }) => connections, count),
    rowOf("bytes held", ({ heldBytes }) => heldBytes / 1e6, megabytes),
    rowOf("of them of outputs that live", (o) => o.figures.livingBytes / 1e6, megabytes),
    {
      ...rowOf("outputs and questions that failed", failed, count),
      goal: "none of 1,000 agents",
      met: failed(once) === 0,
    },
  ];
}

function share({ figures }: Outcome, timeMs: number): number {
  return timeMs / figures.put.length;
}

/** There may have been none to measure. */
function ms(time: number): string {
  if (Number.isNaN(time)) return "-";
  return `${time < 10 ? time.toFixed(1) : time.toFixed(0)} ms`;
}

function count(value: number): string {
  return value.toFixed(0);
}

function percent(value: number): string {
  return `${value.toFixed(0)} %`;
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}

import { randomBytes } from "node:crypto";

/** What the name of a segment says. Names sort by the time of the segment, and those of one process by their number. */
export interface SegmentName {
  readonly name: string;
  /** Unix milliseconds when it was begun. */
  readonly createdAt: number;
  /** The journal of a process that writes it, and no other. */
  readonly process: string;
  readonly number: number;
}

const PATTERN = /^journal-(\d{13})-(\d{1,10}-[0-9a-f]{8})-(\d{6,9})\.jsonl$/;

/** The id of this process, and random digits: ids of processes come again. */
export function newProcessName(): string {
  return `${process.pid}-${randomBytes(4).toString("hex")}`;
}

export function segmentName(createdAt: number, process: string, number: number): string {
  const time = String(Math.trunc(createdAt)).padStart(13, "0");
  return `journal-${time}-${process}-${String(number).padStart(6, "0")}.jsonl`;
}

/** `undefined` for any other file. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const [, time, process, number] = PATTERN.exec(name) ?? [];
  if (time === undefined || process === undefined || number === undefined) return undefined;
  return { name, createdAt: Number(time), process, number: Number(number) };
}

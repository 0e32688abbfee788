import { isRecord } from "./is-record.js";

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

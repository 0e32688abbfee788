import { isRecord } from "./is-record.js";

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** The list itself, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

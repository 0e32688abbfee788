import { safeJson } from "../../util/safe-text.js";

/** One JSON value on a line, as every `--json` prints it: no control or invisible character stands in it unescaped. */
export function jsonLine(value: unknown): string {
  return `${safeJson(value)}\n`;
}

import { fieldOf } from "../../util/field-of.js";

export type OffloadErrorCode =
  | "ARTIFACT_DAMAGED"
  | "ARTIFACT_NOT_FOUND"
  | "ARTIFACT_EXPIRED"
  | "INVALID_ARGUMENTS"
  | "INVALID_FILTER"
  | "INVALID_OPTIONS"
  | "INVALID_PATTERN"
  | "KEY_MISSING"
  | "LIMIT_EXCEEDED"
  | "REDACT_FAILED"
  | "STORE_READ_FAILED"
  | "STORE_WRITE_FAILED";

const MARKER = Symbol.for("langchain-offload.error");

/** The error class of this library. Its message says what was wrong, what is allowed, and the next step. */
export class OffloadError extends Error {
  readonly code: OffloadErrorCode;

  constructor(code: OffloadErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "OffloadError";
    this.code = code;
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** Also recognizes errors of another copy of this package. */
  static isInstance(error: unknown): error is OffloadError {
    return fieldOf(error, MARKER) !== undefined;
  }
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` */
export function refuseOptions(message: string): never {
  throw new OffloadError("INVALID_OPTIONS", message);
}

export function hasErrorCode(error: unknown, code: OffloadErrorCode): boolean {
  return OffloadError.isInstance(error) && error.code === code;
}

export function errorName(error: unknown): string {
  if (OffloadError.isInstance(error)) return error.code;
  if (!(error instanceof Error)) return "Error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

import { isRecord } from "../../../util/is-record.js";

/** What is told of an error of the guest's. */
export interface Explained {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Names that the guest has, its own and the code's. */
  readonly names: readonly string[];
}

/** What the guest's prelude tells of an error, as JSON; `undefined` when the code has changed that, or it is cut. */
export function readExplained(json: string): Explained | undefined {
  const told = parsed(json);
  if (!isRecord(told)) return undefined;
  const names: readonly unknown[] = Array.isArray(told.names) ? told.names : [];
  return {
    name: textOf(told.name),
    message: textOf(told.message),
    stack: textOf(told.stack),
    names: names.filter((name) => typeof name === "string"),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether an error says that the guest's memory is used up. */
export function isOutOfMemory({ name, message }: Explained): boolean {
  return name === "InternalError" && message === "out of memory";
}

import { isGraphBubbleUp } from "@langchain/langgraph";
import { ToolInvocationError, type ToolCallRequest } from "langchain";

import { fieldOf } from "../../../../util/field-of.js";
import { aroundCall, type ToolLike } from "../around-call.js";

/** Errors of one call alone, which nobody else has. */
const own = new WeakSet<object>();

/**
 * The same request, whose tool throws errors of this call alone: an application may throw one object in the calls of many
 * users, and what a tool threw LangChain knows by its identity. Interrupts, and what is thrown at an abort, stay as they are.
 */
export function throwingOwn<Request extends ToolCallRequest>(request: Request): Request {
  const { tool, runtime } = request;
  if (!isCallable(tool)) return request;
  const throwing = aroundCall(tool, ["invoke"], async ({ run }) => {
    try {
      return await run();
    } catch (error) {
      const isGiven = isGraphBubbleUp(error) || runtime.signal?.aborted;
      throw isGiven || !(error instanceof Error) ? error : errorWith(error, {});
    }
  });
  return { ...request, tool: throwing };
}

/** An error with other properties: the given one where it is of one call alone, and otherwise a copy of the same class. */
export function errorWith(error: Error, properties: Readonly<Record<string, unknown>>): Error {
  const changed = isOwn(error) ? error : copyOf(error);
  for (const [name, value] of Object.entries(properties)) {
    // Not enumerable, as an error's message is: whoever prints the error does not print them.
    Object.defineProperty(changed, name, { value, writable: true, configurable: true });
  }
  return changed;
}

/** LangChain makes one of its own of what does not fit a schema. */
function isOwn(error: Error): boolean {
  return own.has(error) || (ToolInvocationError.isInstance(error) && own.has(error.toolError));
}

/** As a native error, so that it is printed as one, and of one call alone. */
export function copyOf(error: Error): Error {
  const copy = new Error();
  own.add(copy);
  // What it has of its own is computed from the class when it is replaced.
  Object.assign(copy, { stack: error.stack });
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  for (const key of [...Reflect.ownKeys(error), ...gettersOf(error)]) {
    if (key === "stack") continue;
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, key);
    const value = readable(error, key);
    Object.defineProperty(copy, key, { value, enumerable, writable: true, configurable: true });
  }
  return copy;
}

/** Names of what its classes compute, as a DOMException does all that it says: such code may know the error itself alone. */
function gettersOf(error: Error): string[] {
  const keys: string[] = [];
  let place: unknown = Object.getPrototypeOf(error);
  while (place instanceof Error) {
    const properties = Object.entries(Object.getOwnPropertyDescriptors(place));
    keys.push(...properties.filter(([, property]) => "get" in property).map(([key]) => key));
    place = Object.getPrototypeOf(place);
  }
  return keys;
}

/** Code of an error may throw itself. */
function readable(error: Error, key: string | symbol): unknown {
  try {
    return Reflect.get(error, key);
  } catch {
    return undefined;
  }
}

function isCallable(tool: unknown): tool is ToolLike {
  return typeof fieldOf(tool, "name") === "string" && typeof fieldOf(tool, "invoke") === "function";
}

import { warnOfFailures } from "../../../core/pipeline/observe/warn-of-failures.js";
import { emit, type OffloadListener } from "../../../core/types/events.js";
import type { OffloadOptions } from "../../../core/options/options.js";
import type { ResourceDeskOptions } from "./resource-desk.js";
import type { ResourceOptions } from "./resource-options.js";

/** What joins an offloader to the desks of its connections. */
export interface ResourceWiring {
  /** The offloader's options: the user's own when stored outputs are no resources. */
  readonly wired: (options: OffloadOptions) => OffloadOptions;
  /** What the desk of one connection needs; `undefined` when there is to be none. */
  readonly resourcesOf: (
    tell: ResourceDeskOptions["tell"],
  ) => Omit<ResourceDeskOptions, "offloader" | "scope" | "warn"> | undefined;
}

/**
 * Wires an offloader, which is made once, to connections, which come and go.
 *
 * @param given - The option `resources`, checked.
 */
export function resourceWiring(given: boolean | ResourceOptions = false): ResourceWiring {
  if (given === false) return { wired: (options) => options, resourcesOf: () => undefined };
  const listeners = new Set<OffloadListener>();
  return {
    wired: ({ onEvent = warnOfFailures(), ...options }) => ({
      ...options,
      onEvent: (event) => {
        for (const listener of [onEvent, ...listeners]) emit(listener, event);
      },
    }),
    resourcesOf: (tell) => ({
      ...(given === true ? {} : given),
      tell,
      listen(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    }),
  };
}

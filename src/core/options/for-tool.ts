import type { DecideOptions } from "../decide/decide.js";

/**
 * The rules of one tool of an agent. Without a limit of their own they have the agent's limits, and
 * empty ones the default: that of a file or the environment where there is one. The context window
 * is the agent's unless it is given.
 */
export function decideForTool(
  given: DecideOptions,
  agent: DecideOptions | undefined,
  byDefault: DecideOptions["threshold"] | undefined,
): DecideOptions {
  const { threshold, gates, contextWindowTokens } = agent ?? {};
  const isSet = given.defaultThreshold !== undefined && byDefault !== undefined;
  const own = isSet ? { threshold: byDefault, ...given } : given;
  const isLimited = [own.threshold, own.defaultThreshold, own.gates].some(
    (limit) => limit !== undefined,
  );
  const limits = {
    ...(threshold && { threshold }),
    ...(gates && { gates }),
  };
  return {
    ...(contextWindowTokens !== undefined && { contextWindowTokens }),
    ...(Object.keys(own).length > 0 ? !isLimited && limits : byDefault && { threshold: byDefault }),
    ...own,
  };
}

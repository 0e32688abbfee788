import { unwrapOutput } from "../../../content/unwrap.js";
import type { Offloader } from "../../../offload/offloader.js";
import { aroundCall, type ToolLike } from "./around-call.js";
import { redactedValue } from "./redacted-text.js";
import { offloadValue } from "./tool-calls.js";

/** Whose tool it is, and what code may get of it at most, as UTF-8 of its text. */
interface Giving {
  readonly offloader: Offloader;
  readonly maxDataBytes: number;
}

/**
 * The same tool; a call with plain arguments gives what the given tool gives, as `redact` leaves it, or the descriptor
 * of what is too large.
 */
export function givingData<Tool extends ToolLike>(
  offloading: Tool,
  given: Tool,
  { offloader, maxDataBytes }: Giving,
): Tool {
  return aroundCall(offloading, ["invoke", "call"], async ({ site, config, isToolCall, run }) => {
    if (isToolCall) return await run();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came for this very tool.
    const value = await given.invoke(site.args as never, config as never);
    const { text } = unwrapOutput({ value });
    if (text !== undefined && Buffer.byteLength(text) > maxDataBytes)
      return await offloadValue(offloader, site, value);
    const left = await redactedValue(offloader, value, site);
    if ("withheld" in left) throw new Error(left.withheld);
    return left.value;
  });
}

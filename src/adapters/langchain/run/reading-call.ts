import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { RunningCall } from "../../../core/types/running-call.js";
import type { ReadableArguments } from "../../../core/types/plugin.js";
import type { RunSite } from "./call-site.js";
import { scopeOfCall } from "./call-scope.js";
import { accessAt, givenSession } from "./session.js";

const NO_THREAD =
  "(The application invokes this agent without configurable.thread_id, so outputs of earlier runs are out of reach " +
  "unless their tool messages are in this conversation.)";

/**
 * A call that reads what its arguments name; `undefined` where it belongs to no conversation.
 *
 * @param args - What the model passed, unchecked.
 */
export async function readingCall(
  offloader: Offloader,
  site: RunSite,
  args: unknown,
): Promise<RunningCall | undefined> {
  const scope = await scopeOfCall(internals(offloader).core.drillIns().store, site, args);
  if (scope === undefined) return undefined;
  return {
    scope,
    access: accessAt(offloader, site),
    ifNotFound: givenSession(site) === undefined ? NO_THREAD : undefined,
    signal: site.signal,
  };
}

/** The arguments of a call that reads, when plug-ins have brought back what they name. Never rejects. */
export async function readable(
  offloader: Offloader,
  site: RunSite,
  args: unknown,
): Promise<ReadableArguments> {
  let given: ReadableArguments = { args };
  for (const { name, hooks } of internals(offloader).host.plugged) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the core, which calls `setup`, knows no such place.
      given = (await hooks.beforeRead?.(given.args, site as never)) ?? given;
    } catch (error) {
      internals(offloader).host.failed(name, "beforeRead", error);
    }
    if (given.lost !== undefined) return given;
  }
  return given;
}

/** A call that reads one output, which plug-ins may bring back first. One conversation may have outputs of several sessions. */
export async function referredCall(
  offloader: Offloader,
  site: RunSite,
  reference: string,
): Promise<RunningCall | undefined> {
  await readable(offloader, site, { id: reference });
  return await readingCall(offloader, site, { id: reference });
}

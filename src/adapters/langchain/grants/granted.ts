import { NEEDS_GRANT } from "../../../drill-in/sentences/needs-grant.js";
import type { GrantsOf } from "../../../grants/grants.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { scopeOf } from "../../../store/naming.js";
import { ownFieldOf } from "../../../util/field-of.js";
import type { RunSite } from "../run/call-site.js";
import { ownSessionOf, sessionOfTool } from "../run/session.js";

/** What the tokens of a call grant to its session; `undefined` without any. */
export function grantsOfSite(offloader: Offloader, site: RunSite): GrantsOf | undefined {
  // Without keys there are no grants, whatever was passed.
  if (offloader.options.grantKeys === undefined) return undefined;
  const given = [
    ownSessionOf(site)?.grants,
    ownFieldOf(site.configurable, "offloadGrants"),
    ownFieldOf(site.context, "offloadGrants"),
  ];
  const tokens = given.flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const sessionId = sessionOfTool(site);
  return sessionId === undefined
    ? undefined
    : internals(offloader).grantsOf(tokens, scopeOf(sessionId));
}

/** What is said of an output that is not found, where grants decide what an agent reaches. */
export function needsGrant(offloader: Offloader, site: RunSite): string | undefined {
  const decides = offloader.options.grantKeys !== undefined || ownSessionOf(site) !== undefined;
  return decides ? NEEDS_GRANT : undefined;
}

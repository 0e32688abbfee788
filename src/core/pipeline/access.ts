import * as z from "zod";

import { LONGEST_WAIT_MS } from "../drill-in/find.js";
import type { OffloadListener } from "../types/events.js";
import { sessionKeyOf } from "../store/naming.js";
import type { AccessOf, AccessRule } from "../types/access.js";
import { withDeadline } from "../../util/abort.js";

/** Of an answer so many sessions are looked in. */
const MAX_SESSIONS = 16;

export function createAccess(rule: AccessRule | undefined, notify: OffloadListener): AccessOf {
  return (sessionId, context) =>
    rule === undefined || sessionId === undefined
      ? undefined
      : async (artifactId) => {
          try {
            const given = await withDeadline(
              { timeoutMs: LONGEST_WAIT_MS, late: "`access` gave no list in time." },
              async () => rule({ sessionId, artifactId, context }),
            );
            const sessions = z.array(z.string()).parse(given).slice(0, MAX_SESSIONS);
            return sessions.map((session) => sessionKeyOf(session));
          } catch (error) {
            notify({ type: "option-failed", option: "access", error });
            return [];
          }
        };
}

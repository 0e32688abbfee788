import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { describe, expect, it } from "vitest";

import { createOffloader, scopeOf } from "../../src/core.js";
import { caseOfTheDay } from "../of-the-day.js";
import { postgresAnswers, redisAnswers } from "../store/servers.js";
import { openPlace, type readIn, removePlace, type SharedPlace } from "./reader-process.js";

const kinds = [
  ["PostgreSQL", await postgresAnswers()],
  ["Redis", await redisAnswers()],
] as const;
const secret = randomBytes(32).toString("hex");
const readerModule = pathToFileURL(join(import.meta.dirname, "reader-process.ts")).href;

/** The same in a process of its own. */
function readElsewhere(...asked: Parameters<typeof readIn>): Awaited<ReturnType<typeof readIn>> {
  const script = `
    import { readIn } from ${JSON.stringify(readerModule)};
    console.log("answer:" + JSON.stringify(await readIn(...${JSON.stringify(asked)})));
    process.exit(0);`;
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  const shown = execFileSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
  return JSON.parse(shown.slice(shown.indexOf("answer:") + 7)) as Awaited<
    ReturnType<typeof readIn>
  >;
}

describe.each(caseOfTheDay(kinds))("a grant on a shared %s store", (kind, available) => {
  it.skipIf(!available)(
    "is used by another process until it is revoked here, and by none without the secret",
    async () => {
      const place: SharedPlace = { kind, name: `grants_${randomBytes(6).toString("hex")}` };
      const { store, end } = await openPlace(place);
      const offloader = createOffloader({ store, grants: { keys: [{ id: "k1", secret }] } });
      const rows = Array.from({ length: 500 }, (_, id) => ({ id }));
      const { storedArtifact } = await offloader.put(rows, { sessionId: "here" });
      const { id } = storedArtifact;
      const request = { sessionId: "here", to: "there", outputs: [id] };
      const token = await offloader.grantTo(request);
      const asked = { secret, sessionId: "there", token, id };
      try {
        expect(readElsewhere(place, asked)).toMatchObject({ failed: false });
        expect(readElsewhere(place, asked).text).toMatch(/^500\n/);
        const refused = readElsewhere(place, { ...asked, id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
        expect(refused).toMatchObject({ failed: true });
        const stranger = randomBytes(32).toString("hex");
        expect(readElsewhere(place, { ...asked, secret: stranger })).toEqual(refused);
        expect(readElsewhere(place, { ...asked, sessionId: "elsewhere" })).toEqual(refused);
        expect(await offloader.revoke(token)).toBe(true);
        expect(readElsewhere(place, asked)).toEqual(refused);
      } finally {
        await offloader.endSession("here");
        expect((await store.list(scopeOf("here"))).artifacts).toEqual([]);
        await offloader.close();
        await end();
        await removePlace(place);
      }
    },
    400_000,
  );
});

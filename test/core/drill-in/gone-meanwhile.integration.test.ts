import { afterAll, describe, expect, it } from "vitest";

import { createResolver } from "../../../src/plugins/references/reference-value.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { createStoredFiles } from "./stored-files.js";

const files = createStoredFiles();
afterAll(() => files.close());
const SESSION_KEY = sessionKeyOf("a thread");
const TEXT = "some line of text\n".repeat(2000);

type Become = (artifact: StoredArtifact) => Promise<void>;

/** What tools say of an output that was found and is gone before they open it. */
async function toldOf(tool: "read" | "grep" | "jq" | "extract" | "sql", become: Become) {
  const { id, fileName } = await files.put(TEXT, "a thread");
  const missed: string[] = [];
  const drillIn = files.drillIn(
    {},
    {
      sql: {},
      onRead: async (artifact) => {
        await become(artifact);
        return artifact;
      },
      onEvent: (event) => {
        if (event.type === "missing") missed.push(event.storedArtifact.id);
      },
    },
  );
  const query = tool === "sql" ? "SELECT count(*) FROM output" : ".";
  const args = { id, file_path: id, pattern: "lin.", filter: ".", query };
  const answer = await drillIn.run(tool, args, { sessionKey: SESSION_KEY });
  return { answer, id, fileName, missed };
}

const deleted: Become = async ({ id, sessionKey }) =>
  void (await files.store.delete(id, sessionKey));

describe("an output that is gone between being found and being opened", () => {
  it.each(["read", "grep", "jq", "extract", "sql"] as const)(
    "is told as deleted by %s, with the call that brings it back",
    async (tool) => {
      const { answer, fileName } = await toldOf(tool, deleted);
      expect(answer).toMatchObject({
        failed: true,
        text: `${fileName} was deleted before its time. If that does no harm, call the tool search_issues again with the same arguments: {"query":"cache"}`,
      });
    },
  );

  it("is told so where it is passed to another tool", async () => {
    const { id } = await files.put(TEXT, "a thread");
    const { context } = files.drillIn();
    const { bodyCache } = context;
    const late: typeof context = {
      ...context,
      bodyCache: {
        ...bodyCache,
        with: async (artifact, signal, use) =>
          bodyCache.with(artifact, signal, async (source) => {
            await deleted(artifact);
            return use(source);
          }),
      },
    };
    const use = { toolName: "t", parameter: "text", maxBytes: 1e6 };
    const { problem } = await createResolver(late)(
      { output: id, jq: "." },
      { sessionKey: SESSION_KEY },
      use,
    );
    expect(problem).toMatch(/ was deleted before its time\. /);
  });
});

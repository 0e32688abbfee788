import { describe, expect, it } from "vitest";

import { memoryStore } from "../../../src/core/store/memory.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { authorServer, clientOf } from "./sdk-pair.js";

const opened = openedOffloaders();

describe("a connection over MCP", () => {
  it("reads by tool what the rule opens while it does; without a session nothing is asked", async () => {
    const store = memoryStore();
    const { offloader: owner } = opened({ store });
    const put = async (text: string): Promise<string> =>
      (await owner.put(text, { sessionId: "owner" })).storedArtifact.id;
    const [shared, other] = [await put("what is shared"), await put("what is not")];
    const open = new Set([shared]);
    const asked: string[] = [];
    const readerOf = async (session: { sessionId?: string }) => {
      const { server } = authorServer("hello", {
        ...session,
        store,
        access: ({ sessionId, artifactId }) => {
          asked.push(sessionId);
          return open.has(artifactId) ? ["owner"] : [];
        },
      });
      const client = await clientOf(server);
      return async (id: string): Promise<string> =>
        JSON.stringify(await client.callTool({ name: "read_tool_output", arguments: { id } }));
    };

    const reader = await readerOf({ sessionId: "reader" });
    expect(await reader(shared)).toContain("what is shared");
    expect(await reader(other)).not.toContain("what is not");
    expect(new Set(asked)).toEqual(new Set(["reader"]));

    asked.length = 0;
    const nameless = await readerOf({});
    expect(await nameless(shared)).not.toContain("what is shared");
    expect(asked).toEqual([]);

    open.clear();
    expect(await reader(shared)).not.toContain("what is shared");
  });
});

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { openableStores } from "./opened-stores.js";
import { temporaryDirectories } from "./temporary-directory.js";

const makeDirectory = temporaryDirectories();
const ofOneMachine = ["files", "memory"];
const stores = (await openableStores()).filter(([name]) => !ofOneMachine.includes(name));

describe("a store that is shared", () => {
  for (const [name, available, open] of stores) {
    it.skipIf(!available)(`${name}: answers a drill-in of another offloader`, async () => {
      const { store } = await open();
      const first = createOffloader({ store: store() });
      const rows = Array.from({ length: 3000 }, (_, index) => ({
        id: index,
        name: `row ${index}`,
      }));
      const result = await first.offload({
        toolName: "query",
        value: JSON.stringify(rows),
        sessionId: "thread",
      });
      await first.close();
      if (result.outcome !== "offloaded") throw new Error(result.outcome);
      expect(result.storedArtifact.filePath).toBeUndefined();
      expect(JSON.parse(result.text)["file_path"]).toBe(result.storedArtifact.id);
      expect(result.text).not.toMatch(/"jq -|\btail -n/);
      expect(result.text).not.toContain("shell");
      const second = createOffloader({ store: store() });
      const { id, sessionKey } = result.storedArtifact;
      const answer = await second.drillIn.run(
        "read",
        { file_path: id, start_line: 1, end_line: 3 },
        { sessionKey },
      );
      expect(answer.text).toContain("row 1");
      const body = await second.store.read(result.storedArtifact);
      const records = body.subarray(result.storedArtifact.headerBytes);
      expect(result.storedArtifact.bodySha256).toBe(
        createHash("sha256").update(records).digest("hex"),
      );
      await second.close();
    });
  }
});

it("keeps no hash of a body that stays on this machine", async () => {
  for (const store of [memoryStore(), fileStore({ directory: await makeDirectory() })]) {
    const offloader = createOffloader({ store });
    const value = "a line of a log\n".repeat(3000);
    const result = await offloader.offload({ toolName: "log", value, sessionId: "thread" });
    if (result.outcome !== "offloaded") throw new Error(result.outcome);
    expect(result.storedArtifact.bodySha256).toBeUndefined();
    await offloader.close();
  }
});

import { describe, expect, it } from "vitest";
import * as z from "zod";

import { memoryStore, sessionKeyOf } from "../../../../src/index.js";
import { codeAgent, toolThat } from "./rig.js";
import { redact as redactPlugin } from "../../../../src/plugins/redact/redact.js";

const SECRET = "123-45-6789";
const redact = (text: string): string => text.replaceAll(SECRET, "[SSN]");

/** A tool whose result has the secret, of one record or of many. */
const people = toolThat(
  "people",
  ({ count }: { count: number }) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, ssn: SECRET, open: true }))),
  z.object({ count: z.number() }),
);

/** All that a store keeps of the thread. */
async function keptIn(store: ReturnType<typeof memoryStore>): Promise<string[]> {
  const { artifacts } = await store.list(sessionKeyOf("thread"));
  return await Promise.all(
    artifacts.map(
      async (artifact) =>
        JSON.stringify(artifact) + Buffer.from(await store.read(artifact)).toString("utf8"),
    ),
  );
}

describe("results of tools that code calls", () => {
  it("are redacted before the code sees them, and before bodies are written", async () => {
    const store = memoryStore();
    const { answer, accessLog } = codeAgent(
      `const [few] = await tools.people({ count: 1 });
       let many; for (const one of await tools.people({ count: 900 })) many = one.ssn;
       return await tools.delete_issue({ id: few.ssn + many })`,
      {
        store,
        tools: [people],
        offload: { plugins: [redactPlugin(redact)] },
        calls: { tools: ["people", "delete_issue"] },
        limits: { maxInlineResultBytes: 1000 },
      },
    );
    await answer();
    const kept = await keptIn(store);
    expect(kept).toHaveLength(1);
    expect(kept.join()).toContain("[SSN]");
    expect(kept.join()).not.toContain(SECRET);
    expect(accessLog.deleted).toEqual(["[SSN][SSN]"]);
  });

  it("that cannot be redacted are an exception in the code, of which the listeners hear", async () => {
    for (const count of [1, 900]) {
      const store = memoryStore();
      const { answer, events, told } = codeAgent(
        `return await tools.people({ count: ${count} }).catch((error) => error.message)`,
        {
          store,
          tools: [people],
          offload: { plugins: [redactPlugin(() => Promise.reject(new Error("no")))] },
          calls: { tools: ["people"] },
          limits: { maxInlineResultBytes: 1000 },
        },
      );
      const text = await answer();
      expect(text).toContain("The output of people is withheld");
      expect(text).not.toContain(SECRET);
      expect(told()).toEqual(["call_1_0.0 people refused"]);
      expect(events).toContainEqual(
        expect.objectContaining({ type: "plugin-failed", plugin: "redact", toolName: "people" }),
      );
      expect(await keptIn(store)).toEqual([]);
    }
  });

  it("that code makes and cannot be redacted are not stored, and the code is told not to try again", async () => {
    const store = memoryStore();
    const { answer } = codeAgent(
      `const told = [];
       try { outputs.save("few", [{ ssn: "${SECRET}" }]) } catch (error) { told.push(error.message) }
       return told.join();`,
      {
        store,
        offload: {
          plugins: [
            redactPlugin((text, { part }) => {
              if (part === "line" || part === "record") throw new Error(`no pattern for ${text}`);
              return redact(text);
            }),
          ],
        },
      },
    );
    const text = await answer();
    expect(text).toContain("withheld and not stored");
    expect(text).not.toContain(SECRET);
    expect(await keptIn(store)).toEqual([]);
  });
});

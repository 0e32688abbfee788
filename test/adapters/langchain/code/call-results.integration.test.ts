import { tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { answers, codeAgent } from "./rig.js";

describe("results of tools that code calls", () => {
  it("are texts where they look like numbers, and data where they are", async () => {
    const given = ["3.10", "1234e56", "1e400", "007", '"quoted"', "3.5", "true", "null", " [1]"];
    const saying = tool(({ at }: { at: number }) => given[at], {
      name: "saying",
      description: "Says something.",
      schema: z.object({ at: z.number() }),
    });
    const code = `return await Promise.all([${[...given.keys()].join()}].map((at) => tools.saying({ at })))`;
    const { ask } = codeAgent(code, { tools: [saying], calls: { tools: ["saying"] } });
    const { messages } = await ask();
    expect(answers(messages)[0]).toContain(
      JSON.stringify(["3.10", "1234e56", "1e400", "007", '"quoted"', 3.5, true, null, [1]]),
    );
  });

  it("are exceptions where they are nothing but an image", async () => {
    const drawing = tool(() => [{ type: "image", mimeType: "image/png", data: "AAAA" }], {
      name: "drawing",
      description: "Draws.",
      schema: z.object({}),
    });
    const code =
      "try { return await tools.drawing({}) } catch (error) { return 'caught: ' + error.message }";
    const { ask } = codeAgent(code, { tools: [drawing], calls: { tools: ["drawing"] } });
    const { messages } = await ask();
    expect(answers(messages)[0]).toContain("caught: drawing gives no text");
  });
});

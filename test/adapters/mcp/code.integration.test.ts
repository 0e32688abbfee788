import { describe, expect, it } from "vitest";

import { code as sandbox } from "../../../src/plugins/code/code.js";
import { textsOf } from "./connections.js";
import { answers, start } from "./scripted-http.js";

const rows = Array.from({ length: 900 }, (_, id) => ({ id, city: "Rome", note: `row ${id}` }));

describe("code over the results of a server", () => {
  it("is a tool of the proxy, whose next call reads what the code has stored", async () => {
    const result = { content: [{ type: "text", text: JSON.stringify(rows) }] };
    const place = await start(
      answers(() => result),
      undefined,
      { plugins: [sandbox()], drillIn: { names: { jq: "jq_tool_output" } } },
    );
    const [descriptor = ""] = textsOf(await place.call("list_rows"));
    const id = JSON.parse(descriptor).file_path as string;
    const code = `return outputs.save("late", outputs.open(${JSON.stringify(id)}).drop(600))`;
    const [text = ""] = textsOf(await place.call("code_tool_output", { code }));
    const saved = /^[0-9A-Z]{26}/.exec(text)?.[0];
    expect(text).toContain(`Saved "late" as ${saved}.`);
    const args = { id: saved, filter: "length", slurp: true };
    expect(textsOf(await place.call("jq_tool_output", args))[0]).toMatch(/^300\n/);
  });
});

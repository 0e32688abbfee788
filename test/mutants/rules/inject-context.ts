import type { Mutant } from "../mutant.js";

export const injectContext: readonly Mutant[] = [
  {
    rule: 43,
    fault: "the tool runs twice",
    file: "adapters/langchain/agent-calls.ts",
    find: "        const running = Object.assign(",
    put: "        await handler(request);\n        const running = Object.assign(",
  },
  {
    rule: 43,
    fault: "the tool is asked for everything",
    file: "adapters/langchain/agent-calls.ts",
    find: "guarded(() => handler(running),",
    put: 'guarded(() => handler({ ...running, toolCall: { ...toolCall, args: { ...args, detail: "full" } } }),',
  },
  {
    rule: 43,
    fault: "the tool is left out",
    file: "core/pipeline/pipeline.ts",
    find: "ownTools.has(output.toolName)\n",
    put: 'ownTools.has(output.toolName) || output.toolName === "inject_context"\n',
  },
  {
    rule: 44,
    fault: "the formatted text is judged",
    file: "core/content/unwrap.ts",
    find: "const memories = preBudgetSet(artifact);",
    put: "const memories: string | undefined = undefined;",
  },
  {
    rule: 45,
    fault: "the formatted text stays beside the descriptor",
    file: "adapters/langchain/tool/tool-message.ts",
    find: "const content = contentOf(result);\n",
    put: "const content = `${result.text}\\n${String(value)}`;\n",
  },
  {
    rule: 45,
    fault: "the set stays in the artifact",
    file: "adapters/langchain/tool/tool-message.ts",
    find: "    const carried = {\n      ...carriedOf(storedArtifact),",
    put: "    const carried = {\n      given: own,\n      ...carriedOf(storedArtifact),",
  },
  {
    rule: 46,
    fault: "the set takes the place of the text",
    file: "core/pipeline/run-pipeline.ts",
    find: "tellKept(call, decision.measurement);\n      return inlineResult(payload.output, options);",
    put: "tellKept(call, decision.measurement);\n      return { ...inlineResult(payload.output, options), text: payload.text };",
  },
  {
    rule: 46,
    fault: "the set is taken out of the message",
    file: "adapters/langchain/tool/tool-message.ts",
    find: "return { artifact: own, said:",
    put: "return { artifact: undefined, said:",
  },
];

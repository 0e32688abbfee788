import { AsyncLocalStorage } from "node:async_hooks";

import pLimit from "p-limit";

import type {
  AgentHooks,
  AgentHost,
  CalledTool,
  ToolSite,
} from "../../adapters/langchain/agent-hooks.js";
import { originalText } from "../references/reference-value.js";
import { isJson } from "../../core/content/value/any-json.js";
import { internals } from "../../core/pipeline/offloader.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import { orAborted } from "../../util/abort.js";
import { grouped } from "../../util/amounts.js";
import { isRecord, type JsonObject } from "../../util/is-record.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import type { CodeSettings } from "./options.js";
import { type CodeToolCall, type CodeToolResult, type CodeTools, offerTools } from "./request.js";

/** What OpenAI takes. */
const MAX_DESCRIPTION_CHARACTERS = 1_024;
const HEAD =
  "Code may call these tools, with await and their arguments in one object; a call gives parsed JSON, or other output as text; an iterator of its records or lines if it is over 1 MB; and throws when it fails: ";

export function codeInAgent(host: AgentHost, settings: CodeSettings): AgentHooks {
  const name = host.offloader.options.toolNames["code"];
  const listed = settings.tools.filter((tool) => !host.ownTools.has(tool));
  if (name === undefined || listed.length === 0) return {};
  const callable = listed.filter((tool) => !settings.asking.has(tool));

  return {
    named: [
      ...settings.tools.map((toolName) => ({ option: "code.tools", toolName })),
      ...[...settings.asking].map((toolName) => ({ option: "code.interruptOn", toolName })),
    ],
    presentTools(tools) {
      const running = tools.find((tool) => tool.name === name);
      const named = tools
        .map((tool) => String(tool.name))
        .filter((tool) => callable.includes(tool))
        .map(calledAs)
        .join(", ");
      if (running === undefined || named === "") return tools;
      const own = host.shownTool(running);
      const description = shorten(
        `${own.description}\n${HEAD}${named}.`,
        MAX_DESCRIPTION_CHARACTERS,
      );
      return tools.map((tool) => (tool === running ? { ...own, description } : tool));
    },
    async wrapToolCall(request, next, at: ToolSite) {
      if (at.site.toolName !== name || at.sessionId === undefined) return await next(request);
      const run = openCallsOfRun(at, at.sessionId, { host, settings, callable });
      offerTools(at.state, { names: listed, ...run });
      try {
        return await next(request);
      } finally {
        run.close();
      }
    },
  };
}

interface CallOutcome {
  readonly outcome: "returned" | "failed" | "refused" | "abandoned";
  readonly result: CodeToolResult;
  readonly resultBytes: number;
}

interface CheckedCall extends CodeToolCall {
  readonly args: JsonObject;
}

interface Callable {
  readonly host: AgentHost;
  readonly settings: CodeSettings;
  /** What needs no approval. */
  readonly callable: readonly string[];
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const DIRECTLY = {
  interrupts: "asks a person, which it cannot do in code.",
  "changes-state":
    "changes the state of the agent, which code cannot pass on: the change was not made.",
  "no-text": "gives no text, only images or files, which code cannot read.",
};

function openCallsOfRun(
  at: ToolSite,
  sessionId: string,
  { host, settings, callable }: Callable,
): Omit<CodeTools, "names"> & { close(): void } {
  const { toolCallId, signal } = at.site;
  const { maxToolCalls, maxInlineResultBytes, toolTimeoutMs } = settings;
  const callId = toolCallId || "code";
  // Worker messages arrive outside the call's async context.
  const inContext = AsyncLocalStorage.snapshot();
  const inTurn = pLimit(settings.maxToolCallsAtOnce);
  const ending = new AbortController();
  const beside = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let callCount = 0;

  async function outcomeOf(call: CodeToolCall, id: string): Promise<CallOutcome> {
    const { toolName: name, args } = call;
    if (!callable.includes(name))
      return directly(name, "is not for code, as where a person has to approve its calls.");
    if (!isRecord(args))
      return refusal(
        `${name} takes one object with its arguments, as in await ${calledAs(name)}({ … }).`,
      );
    const timeOver = refusal(
      `The time for calls of tools, ${grouped(Math.ceil(toolTimeoutMs / 1000))} s, is over. Do the rest in another run.`,
    );
    if (ending.signal.aborted) return timeOver;
    try {
      const called = inContext(() => at.callTool({ name, args, id }));
      return await taken({ ...call, args }, await orAborted(called, ending.signal));
    } catch (error) {
      if (!ending.signal.aborted) throw error;
      return { ...timeOver, outcome: "abandoned" };
    }
  }

  async function taken(call: CheckedCall, called: CalledTool): Promise<CallOutcome> {
    const { toolName } = call;
    if (called.beside) beside.add(`${toolName} also gave: ${safeJson(called.beside)}`);
    switch (called.status) {
      case "stored": {
        const { stored } = called;
        // A stream is stored at the usual threshold.
        return stored.sizeBytes > maxInlineResultBytes || stored.kind === "binary"
          ? returned({ storedId: stored.id }, stored.sizeBytes)
          : await data(call, originalText(stored, await host.offloader.store.read(stored)));
      }
      case "failed":
        return {
          ...refusal(called.text),
          outcome: "failed",
          resultBytes: Buffer.byteLength(called.text ?? ""),
        };
      case "withheld":
        return refusal(called.text);
      case "answer-waits":
        return refusal(
          "A person's answer to another call of this message waits here, so code can call no tool now. Run it again in a message of its own.",
        );
      case "returned":
        return await data(call, called.text);
      default:
        return directly(toolName, DIRECTLY[called.status]);
    }
  }

  async function data(
    { toolName, args, turn }: CheckedCall,
    text: string | undefined,
  ): Promise<CallOutcome> {
    if (text === undefined) return returned({ json: "null" }, 4);
    const resultBytes = Buffer.byteLength(text);
    const { admits } = internals(host.offloader);
    const output = { toolName, args, sessionId, value: text };
    if (resultBytes <= maxInlineResultBytes || !admits(output))
      return returned({ json: isData(text) ? text : JSON.stringify(text) }, resultBytes);
    // Outputs of this turn stay until the model has seen them.
    const given = { sessionId, toolName, signal, turn, redacted: true as const };
    const { storedArtifact } = await host.offloader.put(text, given);
    return returned({ storedId: storedArtifact.id }, resultBytes);
  }

  return {
    beside,
    async call(asked) {
      timer ??= setTimeout(() => ending.abort(), toolTimeoutMs).unref();
      const id = `${callId}.${callCount}`;
      callCount += 1;
      // Without an event, because code may try without end.
      if (callCount > maxToolCalls) {
        const most = `One run makes at most ${grouped(maxToolCalls)} calls of tools.`;
        return { error: `${most} Do the rest in another run.` };
      }
      return await inTurn(async () => {
        const startedAt = performance.now();
        let told: CallOutcome = { ...refusal(""), outcome: "abandoned" };
        try {
          told = await outcomeOf(asked, id);
          return told.result;
        } finally {
          const { outcome, resultBytes, result } = told;
          at.emit({
            type: "tool-called",
            toolName: asked.toolName,
            toolCallId: id,
            parentToolCallId: callId,
            sessionKey: sessionKeyOf(sessionId),
            argumentBytes: Buffer.byteLength(JSON.stringify(asked.args)),
            durationMs: performance.now() - startedAt,
            outcome,
            resultBytes,
            artifactId: "storedId" in result ? result.storedId : undefined,
          });
        }
      });
    },
    close() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}

function isData(text: string): boolean {
  const isText = /^\s*-?\d/.test(text) && String(Number(text)) !== text;
  return !isText && isJson(text);
}

function returned(result: CodeToolResult, resultBytes: number): CallOutcome {
  return { outcome: "returned", result, resultBytes };
}

function refusal(error = ""): CallOutcome {
  return { outcome: "refused", result: { error }, resultBytes: 0 };
}

function directly(toolName: string, why: string): CallOutcome {
  return refusal(`${toolName} ${why} Call ${toolName} directly, outside of code.`);
}

function calledAs(toolName: string): string {
  return IDENTIFIER.test(toolName) ? `tools.${toolName}` : `tools[${JSON.stringify(toolName)}]`;
}

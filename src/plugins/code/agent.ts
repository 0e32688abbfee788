import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";

import type {
  AgentHooks,
  AgentHost,
  CalledTool,
  PresentedTool,
  ToolSite,
} from "../../adapters/langchain/agent-hooks.js";
import { isJson } from "../../core/content/value/any-json.js";
import { internals } from "../../core/pipeline/offloader.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import { orAborted } from "../../util/abort.js";
import { grouped } from "../../util/amounts.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";
import { readReference } from "../references/reference.js";
import type { CodeSettings } from "./options.js";
import { type CodeToolCall, type CodeToolResult, type CodeTools, offerTools } from "./request.js";

/** In UTF-16 code units, except `MAX_ARGUMENTS`. */
const MAX_ARGUMENTS = 8;
const MAX_SENTENCE_CHARACTERS = 80;
const HEAD =
  "Tools, as in await tools.name({…}): gives parsed data, whole, or an iterator of its records if it is over 1 MB; throws when a call fails.";

export function codeInAgent(host: AgentHost, settings: CodeSettings): AgentHooks {
  const name = host.offloader.options.toolNames["code"];
  const listed = settings.tools.filter((tool) => !host.ownTools.has(tool));
  if (name === undefined || listed.length === 0) return {};
  const callable = listed.filter((tool) => !settings.asking.has(tool));
  const shown = new WeakMap<object, { readonly lines: string; readonly tool: PresentedTool }>();

  return {
    named: [
      ...settings.tools.map((toolName) => ({ option: "code.tools", toolName })),
      ...[...settings.asking].map((toolName) => ({ option: "code.interruptOn", toolName })),
    ],
    presentTools(tools) {
      const running = tools.find((tool) => tool.name === name);
      const lines = tools
        .filter((tool) => callable.includes(String(tool.name)))
        .map((tool) => `\n${lineOf(tool, host)}`)
        .join("");
      if (running === undefined || lines === "") return tools;
      let as = shown.get(running);
      if (as?.lines !== lines) {
        const own = host.shownTool(running);
        as = { lines, tool: { ...own, description: `${own.description}\n${HEAD}${lines}` } };
        shown.set(running, as);
      }
      return tools.map((tool) => (tool === running ? as.tool : tool));
    },
    async wrapToolCall(request, next, at: ToolSite) {
      if (at.site.toolName !== name || at.sessionId === undefined) return await next(request);
      const run = openCallsOfRun(at, at.sessionId, { host, settings, listed, callable });
      offerTools(at.state, run);
      try {
        return await next(request);
      } finally {
        run.close();
      }
    },
  };
}

function lineOf(tool: PresentedTool, host: AgentHost): string {
  const description = fieldOf(tool, "description");
  const told = typeof description === "string" ? ` ${sentenceOf(description)}` : "";
  return `${calledAs(String(tool.name))}(${argumentsOf(tool, host)})${told}`.trimEnd();
}

function argumentsOf(tool: object, host: AgentHost): string {
  try {
    const { properties, required } = host.shownTool(tool).schema;
    const names = Object.keys(isRecord(properties) ? properties : {});
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const shown = names
      .slice(0, MAX_ARGUMENTS)
      .map((name) => (needed.includes(name) ? name : `${name}?`));
    return `{${[...shown, ...(names.length > MAX_ARGUMENTS ? ["…"] : [])].join(", ")}}`;
  } catch {
    // The schema has no JSON form.
    return "{…}";
  }
}

function sentenceOf(description: string): string {
  const start = description
    .slice(0, 4 * MAX_SENTENCE_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  const end = start.indexOf(". ");
  return shorten(end === -1 ? start : start.slice(0, end + 1), MAX_SENTENCE_CHARACTERS);
}

interface CallOutcome {
  readonly outcome: "returned" | "failed" | "refused" | "abandoned";
  readonly result: CodeToolResult;
  readonly resultBytes: number;
}

interface Callable {
  readonly host: AgentHost;
  readonly settings: CodeSettings;
  /** What a run knows by name. */
  readonly listed: readonly string[];
  /** What of it needs no approval. */
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
  { host, settings, listed, callable }: Callable,
): CodeTools & { close(): void } {
  const { toolCallId, signal } = at.site;
  const { maxToolCalls, maxInlineResultBytes, maxResultBytes, toolTimeoutMs } = settings;
  const callId = toolCallId || "code";
  // Worker messages arrive outside the call's async context.
  const inContext = AsyncLocalStorage.snapshot();
  const inTurn = atMost(settings.maxToolCallsAtOnce);
  const ending = new AbortController();
  // Every open call listens to it, and Node warns of more than ten.
  setMaxListeners(0, ending.signal);
  let timer: NodeJS.Timeout | undefined;
  let callCount = 0;

  function tell(
    { toolName, args }: CodeToolCall,
    id: string,
    startedAt: number,
    { outcome, resultBytes, result }: CallOutcome,
  ): void {
    at.emit({
      type: "tool-called",
      toolName,
      toolCallId: id,
      parentToolCallId: callId,
      sessionKey: sessionKeyOf(sessionId),
      argumentBytes: Buffer.byteLength(JSON.stringify(args)),
      durationMs: performance.now() - startedAt,
      outcome,
      resultBytes,
      artifactId: "storedId" in result ? result.storedId : undefined,
    });
  }

  async function outcomeOf(call: CodeToolCall, id: string): Promise<CallOutcome> {
    const { toolName: name, args } = call;
    if (settings.asking.has(name))
      return directly(name, "needs a person's approval, which code cannot ask for.");
    if (!callable.includes(name))
      return refusal(
        `Code cannot call ${JSON.stringify(name)}, only ${callable.join(", ") || "no tool here"}.`,
      );
    if (!isRecord(args))
      return refusal(
        `${name} takes one object with its arguments, as in await ${calledAs(name)}({ … }).`,
      );
    if (Object.values(args).some((value) => readReference(value) !== undefined))
      return refusal("Code passes the data itself, such as outputs.read(id), not a reference.");
    const timeOver = refusal(
      `The time for calls of tools, ${grouped(Math.ceil(toolTimeoutMs / 1000))} s, is over. Do the rest in another run.`,
    );
    if (ending.signal.aborted) return timeOver;
    try {
      const called = inContext(() => at.callTool({ name, args, id }));
      return await taken(call, await orAborted(called, ending.signal));
    } catch (error) {
      if (!ending.signal.aborted) throw error;
      return { ...timeOver, outcome: "abandoned" };
    }
  }

  async function taken(call: CodeToolCall, called: CalledTool): Promise<CallOutcome> {
    const { toolName } = call;
    switch (called.status) {
      case "stored":
        return returned({ storedId: called.stored.id }, called.stored.sizeBytes);
      case "failed": {
        const { text: error = "" } = called;
        return { outcome: "failed", result: { error }, resultBytes: Buffer.byteLength(error) };
      }
      case "withheld":
        return refusal(called.text ?? "");
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

  function mayBeStored({ toolName, args }: CodeToolCall, value: string): boolean {
    try {
      const own = isRecord(args) ? args : undefined;
      return internals(host.offloader).admits({ toolName, args: own, sessionId, value });
    } catch {
      return false;
    }
  }

  async function data(call: CodeToolCall, text: string | undefined): Promise<CallOutcome> {
    const { toolName } = call;
    if (text === undefined) return returned({ json: "null" }, 4);
    const resultBytes = Buffer.byteLength(text);
    if (resultBytes > maxResultBytes) {
      return refusal(
        `The result of ${toolName} has ${grouped(resultBytes)} bytes, and ${grouped(maxResultBytes)} are allowed. Ask it for less.`,
      );
    }
    if (resultBytes <= maxInlineResultBytes || !mayBeStored(call, text))
      return returned({ json: isData(text) ? text : JSON.stringify(text) }, resultBytes);
    // Outputs of this turn stay until the model has seen them.
    const about = { sessionId, toolName, signal, turn: call.turn };
    const { storedArtifact } = await host.offloader.put(text, about);
    return returned({ storedId: storedArtifact.id }, resultBytes);
  }

  return {
    names: listed,
    async call(asked) {
      timer ??= setTimeout(() => ending.abort(), toolTimeoutMs).unref();
      const index = callCount;
      callCount += 1;
      const id = `${callId}.${index}`;
      if (index >= maxToolCalls) {
        const refused = refusal(
          `One run makes at most ${grouped(maxToolCalls)} calls of tools. Do the rest in another run.`,
        );
        // Told once.
        if (index === maxToolCalls) tell(asked, id, performance.now(), refused);
        return refused.result;
      }
      return await inTurn(async () => {
        const startedAt = performance.now();
        let outcome: CallOutcome = { ...refusal(""), outcome: "abandoned" };
        try {
          outcome = await outcomeOf(asked, id);
          return outcome.result;
        } finally {
          tell(asked, id, startedAt, outcome);
        }
      });
    },
    close() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}

function atMost(limit: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running < limit) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function isData(text: string): boolean {
  const isText = /^\s*"/.test(text) || (/^\s*-?\d/.test(text) && String(Number(text)) !== text);
  return !isText && isJson(text);
}

function returned(result: CodeToolResult, resultBytes: number): CallOutcome {
  return { outcome: "returned", result, resultBytes };
}

function refusal(error: string): CallOutcome {
  return { outcome: "refused", result: { error }, resultBytes: 0 };
}

function directly(toolName: string, why: string): CallOutcome {
  return refusal(`${toolName} ${why} Call ${toolName} directly, outside of code.`);
}

function calledAs(toolName: string): string {
  return IDENTIFIER.test(toolName) ? `tools.${toolName}` : `tools[${JSON.stringify(toolName)}]`;
}

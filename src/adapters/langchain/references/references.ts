import * as z from "zod";
import { AIMessage, ToolMessage } from "@langchain/core/messages";

import { type CoreApi, coreOf } from "../../../core/plugin-host/plugin-host.js";
import { sessionKeyOf } from "../../../core/store/naming.js";
import type { OffloadPlugin, PluginHooks } from "../../../core/types/plugin.js";
import {
  createResolver,
  type ResolveReference,
} from "../../../plugins/references/reference-value.js";
import {
  MAX_DATA_BYTES,
  readReference,
  type Reference,
  type ReferenceResult,
  referenceSentence,
  type ReferenceTerms,
  settingSchema,
  termsOf,
} from "../../../plugins/references/reference.js";
import { checkedOptions, optionsOf } from "../../../util/option-rules.js";
import { pluginStateOf } from "../agent-host.js";
import type { AgentHooks, AgentHost } from "../agent-hooks.js";
import { messageWith } from "../tool/messages.js";
import {
  createReferenceRules,
  jsonSchemaOf,
  type ReferenceRules,
  type TakenReferences,
} from "./reference-rules.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { CallSite, RunSite } from "../run/session.js";
import { readingCall } from "../run/reading-call.js";
import { takenAs } from "../../../plugins/references/data-parameters.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { grouped } from "../../../util/amounts.js";

/** Which tools receive stored outputs as arguments. */
export interface ReferencesOptions {
  /**
   * Whether an agent automatically offers references for parameters whose schema takes data. With
   * `false` only tools with their own settings take references.
   * @remarks Set it when only the tools that you name may receive stored data.
   * @defaultValue `true`
   */
  readonly auto?: boolean;
}

const termsByHooks = new WeakMap<PluginHooks, ReferenceTerms>();

const schema = optionsOf({ auto: z.boolean().optional() });

/**
 * Lets tools take stored outputs as arguments: the model passes `{"$output": id}` and the tool receives the data, which
 * never enters the context. `offloadMiddleware` and similar factories add it themselves when they create the offloader.
 * Settings of one tool: `perTool.X.plugins.references` is `true` for all of its parameters, names of parameters,
 * or `false` for none. In nodes and wrapped tools only such tools take references.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function references(options: ReferencesOptions = {}): OffloadPlugin {
  const { auto = true } = checkedOptions<ReferencesOptions>("references", schema, options);
  return {
    name: "references",
    toolOptions: settingSchema,
    setup(api) {
      const terms = termsOf(auto, api);
      const core = coreOf(api);
      const shown = api.perSession<Shown>(() => ({ byTool: new Map() }));
      const hooks: PluginHooks = {
        describe({ storedArtifact }) {
          // When the tools are unknown, only named tools count.
          const { byTool, isTaken = !auto && terms.named.length > 0 } = shown(storedArtifact);
          return (byTool.get(storedArtifact.toolName) ?? isTaken)
            ? { guidance: referenceSentence(terms, storedArtifact) }
            : undefined;
        },
        agent: (host: AgentHost) =>
          inAgent(host, terms, core, (sessionId) => shown({ sessionKey: sessionKeyOf(sessionId) })),
      };
      termsByHooks.set(hooks, terms);
      return hooks;
    },
  };
}

/** Whether the model was told to pass references: when last asked, and with each tool. */
interface Shown {
  isTaken?: boolean;
  readonly byTool: Map<string, boolean>;
}

function inAgent(
  { offloader, ownTools, callsModel }: AgentHost,
  terms: ReferenceTerms,
  core: CoreApi,
  shownIn: (sessionId: string) => Shown,
): AgentHooks {
  const isAuto = terms.auto && callsModel;
  if (!isAuto && terms.named.length === 0) return {};
  const rules = createReferenceRules({ ...terms, auto: isAuto }, ownTools);
  const resolve = createResolver(core.drillIns(), (event) => core.emit(event));
  return {
    named: [...terms.named, ...terms.never].map((toolName) => ({ option: "references", toolName })),
    presentTools(tools, { sessionId, isStrict }) {
      const shown = isStrict ? tools : rules.shown(tools);
      if (sessionId === undefined) return shown;
      const state = shownIn(sessionId);
      state.isTaken = shown.some((tool, index) => tool !== tools[index]);
      // A sub-agent of the session may have other tools.
      for (const { name } of tools) state.byTool.set(String(name), state.isTaken);
      return shown;
    },
    async wrapModelCall(request, next, { site }) {
      const stated = (reference: Reference) => statementOf(offloader, reference, site);
      return await withStatements(await next(request), rules, request.tools, stated);
    },
    async wrapToolCall(request, next, { site }) {
      const { toolName, tool, toolCallId = "" } = site;
      const { toolCall } = request;
      const taken = rules.takenBy(toolName, tool);
      const at = { ...site, args: toolCall.args };
      const referred = taken && (await resolveArguments(offloader, at, taken, resolve));
      if (referred === undefined) return await next(request);
      if (typeof referred === "string") {
        return new ToolMessage({
          content: referred,
          name: toolName,
          tool_call_id: toolCallId,
          status: "error",
        });
      }
      // Must be this very object: a wrapper around the tool then sees no references in it.
      return await next({ ...request, toolCall: { ...toolCall, args: referred } });
    },
  };
}

const MAX_REFERENCES = 16;

const UNSTATED =
  "What this reference stands for was not stated when the call was made. Make the call again.";

const filledIn = new WeakSet<object>();
const takenReferences = new WeakSet<object>();

function referencesIn(
  args: object,
  parameters: readonly string[] | undefined,
): readonly ({ readonly name: string } & ReferenceResult)[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const read = parameters?.includes(name) === false ? undefined : readReference(value);
    return read === undefined ? [] : [{ name, ...read }];
  });
}

/** Returns arguments with data, an error sentence for the model, or `undefined` without references. */
async function resolveArguments(
  offloader: Offloader,
  site: CallSite,
  taken: TakenReferences,
  resolve: ResolveReference,
): Promise<Record<string, unknown> | string | undefined> {
  const { toolName, tool, args } = site;
  if (!isRecord(args) || filledIn.has(args)) return undefined;
  const found = referencesIn(args, taken.parameters);
  if (found.length === 0) return undefined;
  if (found.length > MAX_REFERENCES) return `One call takes at most ${MAX_REFERENCES} references.`;
  const schema = jsonSchemaOf(fieldOf(tool, "schema"));
  const resolved: Record<string, unknown> = { ...args };
  let leftBytes = MAX_DATA_BYTES;
  for (const { name, reference, problem } of found) {
    if (reference === undefined) return `${name}: ${problem}`;
    // In order, because each reference reduces the bytes left for the next.
    const { call } = await readingCall(offloader, site, { id: reference.output });
    if (call === undefined) return `${name}: This call does not belong to a conversation.`;
    const refuse = (artifact: StoredArtifact): string | undefined =>
      taken.byItself && reference.is !== statedAs(artifact) ? UNSTATED : undefined;
    const expected = takenAs(schema, name, reference.jq !== undefined);
    const options = { toolName, parameter: name, maxBytes: leftBytes, expected, refuse };
    const { value, sizeBytes, problem: refusal } = await resolve(reference, call, options);
    if (refusal !== undefined) return `${name}: ${refusal}`;
    resolved[name] = expected === "list" && !Array.isArray(value) ? [value] : value;
    leftBytes -= sizeBytes;
  }
  filledIn.add(resolved);
  return resolved;
}

const UNKNOWN = "no stored output of this conversation";

async function statementOf(
  offloader: Offloader,
  reference: Reference,
  site: RunSite,
): Promise<string> {
  try {
    const { call } = await readingCall(offloader, site, { id: reference.output });
    const found = call && (await internals(offloader).core.find(reference.output, call));
    return found === undefined ? UNKNOWN : statedAs(found);
  } catch {
    // The call itself reports the store failure.
    return UNKNOWN;
  }
}

function statedAs({ toolName, recordCount, sizeBytes, media }: StoredArtifact): string {
  const records = recordCount === undefined ? [] : [`${grouped(recordCount)} records`];
  const what = media === undefined ? records : [media.type];
  return `${toolName}: ${[...what, `${grouped(sizeBytes)} bytes`].join(", ")}`;
}

/** Adds to each reference what it refers to, for people who approve calls. Never rejects. */
async function withStatements<Answer>(
  answer: Answer,
  rules: ReferenceRules,
  tools: readonly object[],
  state: (reference: Reference) => Promise<string>,
): Promise<Answer> {
  if (!AIMessage.isInstance(answer) || !Array.isArray(answer.tool_calls)) return answer;
  let isChanged = false;
  try {
    const calls = await Promise.all(
      answer.tool_calls.map(async (call) => {
        const tool = tools.find((one) => fieldOf(one, "name") === call.name);
        const taken = rules.takenBy(call.name, tool);
        if (taken === undefined || !isRecord(call.args)) return call;
        const args: Record<string, unknown> = { ...call.args };
        for (const { name, reference } of referencesIn(call.args, taken.parameters)) {
          if (reference === undefined) continue;
          args[name] = Object.assign({}, args[name], { is: await state(reference) });
          takenReferences.add(Object(args[name]));
          isChanged = true;
        }
        return { ...call, args };
      }),
    );
    return isChanged ? messageWith(answer, { tool_calls: calls }) : answer;
  } catch {
    // A reference without its statement is not filled in where one is required.
    return answer;
  }
}

/** A tool call that waits for a person's decision. */
export interface WaitingCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Describes a tool call with references for the person who approves it: the call as the model made
 * it, and for each reference the output it refers to and how large that is. Pass it as the
 * `description` of LangChain's human-in-the-loop middleware.
 * @param offloader - That of the agent's middleware: `offloadMiddleware({ offloader })`, with the
 * plugin `references()`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when it has no such plugin.
 */
export function approvalDescription(
  offloader: Offloader,
): (
  toolCall: WaitingCall,
  state: unknown,
  runtime: Pick<RunSite, "configurable">,
) => Promise<string> {
  const terms = pluginStateOf(offloader, termsByHooks, "approvalDescription", "references()");
  return async ({ name, args }, state, { configurable }) => {
    const taken = terms.of(name);
    const lines: string[] = [];
    for (const { name: parameter, reference } of referencesIn(args, taken?.parameters)) {
      const isStated = takenReferences.has(Object(args[parameter]));
      if (!reference || !(taken ?? isStated)) continue;
      const part = reference.jq === undefined ? "all of" : "part of";
      // The middleware knows an agent's own session, and its context.
      const stated = isStated
        ? String(reference.is)
        : await statementOf(offloader, reference, { configurable, state });
      lines.push(`${parameter}: ${part} ${stated}`);
    }
    const call = `Tool execution requires approval\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`;
    return [call, ...(lines.length === 0 ? [] : ["", ...lines])].join("\n");
  };
}

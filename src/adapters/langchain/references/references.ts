import * as z from "zod";

import { coreOf } from "../../../core/plugin-host/plugin-host.js";
import { scopeOf } from "../../../core/store/naming.js";
import type { OffloadPlugin } from "../../../core/types/plugin.js";
import { createResolver } from "../../../plugins/references/resolve.js";
import {
  type ReferenceTerms,
  referenceSentence,
  settingSchema,
  termsOf,
} from "../../../plugins/references/terms.js";
import { checkedOptions, optionsOf } from "../../../util/option-rules.js";
import type { AgentHooks, AgentHost, NamedTool } from "../agent-hooks.js";
import { failureMessage } from "../tool/errors/failure-message.js";
import { createReferenceRules } from "./reference-rules.js";
import { resolveArguments } from "./resolve-arguments.js";
import { withStatements } from "./stated-references.js";

/** Which tools are given stored outputs as arguments. */
export interface ReferencesOptions {
  /**
   * Whether an agent offers it, by itself, for the parameters that take data by their schema. With `false` only tools with
   * settings of their own take references.
   *
   * @remarks Set it when no tool may be given stored data but those that you name.
   * @defaultValue `true`
   */
  readonly auto?: boolean;
}

/** The plug-in, and what it was made with. */
export interface ReferencesPlugin extends OffloadPlugin {
  readonly auto: boolean;
}

const schema = optionsOf({ auto: z.boolean().optional() });

/**
 * Tools take stored outputs as arguments: the model passes `{"$output": id}` and the tool gets the data, which the context
 * never holds. `offloadMiddleware` and its like have it by themselves when they are given options. Settings of one tool:
 * `perTool.X.plugins.references` is `true` for all of its parameters, names of parameters, `{ parameters, maxBytes }`, or
 * `false` for none. In nodes and wrapped tools only such tools take references.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function references(options: ReferencesOptions = {}): OffloadPlugin {
  const { auto = true } = checkedOptions<ReferencesOptions>("references", schema, options);
  const plugin: ReferencesPlugin = {
    name: "references",
    auto,
    toolOptions: settingSchema,
    setup(api) {
      const terms = termsOf(auto, api);
      const core = coreOf(api);
      /** Whether the tools that the model of a session was shown last take references. */
      const session = api.perSession<{ isTaken: boolean | undefined }>(() => ({
        isTaken: undefined,
      }));
      return {
        describe({ storedArtifact }) {
          // Nothing is said where no tool takes any; of tools that are not known only those say it that are named.
          const { isTaken = !auto && terms.named.length > 0 } = session(storedArtifact);
          return isTaken ? { guidance: referenceSentence(terms, storedArtifact) } : undefined;
        },
        agent: (host: AgentHost) =>
          inAgent(host, terms, {
            resolve: (...given) =>
              createResolver(core.drillIns(), (event) => api.emit(event))(...given),
            noteTaken: (sessionId, isTaken) => {
              session({ scope: scopeOf(sessionId) }).isTaken = isTaken;
            },
          }),
      };
    },
  };
  return plugin;
}

function inAgent(
  { offloader, ownTools, callsModel }: AgentHost,
  terms: ReferenceTerms,
  parts: {
    readonly resolve: ReturnType<typeof createResolver>;
    readonly noteTaken: (sessionId: string, isTaken: boolean) => void;
  },
): AgentHooks {
  // Where calls of the model do not pass here, nothing says of a reference what it stands for.
  const isAuto = terms.auto && callsModel;
  if (!isAuto && terms.named.length === 0) return {};
  const rules = createReferenceRules({ ...terms, auto: isAuto }, ownTools);
  const option = "references";
  const named: NamedTool[] = terms.named.map((toolName) => ({
    option,
    toolName,
    parameters: terms.of(toolName)?.parameters,
  }));
  return {
    named: [...named, ...terms.never.map((toolName) => ({ option, toolName }))],
    presentTools(tools, { sessionId, isStrict }) {
      const shown = isStrict ? tools : rules.shown(tools);
      if (sessionId !== undefined) {
        parts.noteTaken(
          sessionId,
          shown.some((tool, index) => tool !== tools[index]),
        );
      }
      return shown;
    },
    async wrapModelCall(request, next, { site }) {
      const answer = await next(request);
      return await withStatements(answer, { offloader, rules, tools: request.tools, site });
    },
    async wrapToolCall(request, next, { site }) {
      const { toolName, tool, toolCallId = "" } = site;
      const { toolCall } = request;
      const taken = rules.takenBy(toolName, tool);
      const at = { ...site, args: toolCall.args };
      const referred = taken && (await resolveArguments(offloader, at, taken, parts.resolve));
      if (referred === undefined) return await next(request);
      if (referred.problem !== undefined)
        return failureMessage(referred.problem, toolName, toolCallId);
      // The very object: what stands in it is no reference for the next wrapper around the tool.
      return await next({ ...request, toolCall: { ...toolCall, args: referred.args } });
    },
  };
}

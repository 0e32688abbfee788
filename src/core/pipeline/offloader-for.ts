import { createMeasure, tokenCounter } from "../measure/measure.js";
import type { OffloadOptions } from "../options/options.js";
import { applyOverrides, resolveOptions } from "../options/resolve.js";
import { resolveToolNames } from "../options/tools.js";
import { type CoreParts, createPluginHost } from "../plugin-host/plugin-host.js";
import { sessionKeyOf } from "../store/naming.js";
import type { ToolOutput } from "../types/output.js";
import { createAccess } from "./access.js";
import type { Call } from "./call.js";
import { createListeners } from "./observe/listeners.js";
import { type Offloader, withInternals } from "./offloader.js";
import { sessionTools } from "./loop/session-tools.js";
import { createPipeline } from "./pipeline.js";
import { createStoredOutputs } from "./stored-outputs.js";

/**
 * What `createOffloader` makes, for any factory.
 *
 * @param factory - What the caller has called: errors speak of its options.
 * @param adjusted - What holds in the caller's protocol, of options that are checked and merged.
 */
export function offloaderFor(
  factory: string,
  given: OffloadOptions,
  adjusted?: (options: OffloadOptions) => OffloadOptions,
): Offloader {
  const resolved = resolveOptions(given, factory, adjusted);
  const { store, now, perTool } = resolved;
  const listeners = createListeners(resolved.onEvent, () => host);
  const { notify, stats } = listeners;
  const measure = createMeasure(resolved);
  const core: CoreParts = {
    store,
    now,
    countTokens: tokenCounter(measure),
    put: async (value, { call, toolName, ...about }) =>
      await pipeline.keepMade({ value, ...about }, { ...call, toolName }),
    find: async (reference, call) => (await drillIn.find(reference, call)).storedArtifact,
    storeEncoded: (...stored) => pipeline.storeEncoded(...stored),
    offloadUser: (message) => pipeline.offloadUser(message),
    isCleaned: () => host.clean !== undefined,
    drillIns: () => drillIn.context,
    limits: resolved.drillInLimits,
    keepAsCame: (result) => keepResult(result),
  };
  const host = createPluginHost({
    plugins: resolved.plugins,
    settings: new Map(
      [...perTool].flatMap(([toolName, { ofPlugins }]) =>
        ofPlugins ? [[toolName, ofPlugins]] : [],
      ),
    ),
    notify,
    api: core,
  });
  const toolNames = resolveToolNames(resolved, host.tools);
  const options = { ...resolved, toolNames };

  const optionsOf = ({ toolName, overrides }: ToolOutput): Call["options"] =>
    applyOverrides(perTool.get(toolName) ?? resolved, overrides);
  const stored = createStoredOutputs({ resolved: options, host, measure, listeners, optionsOf });
  const { drillIn, lifetime, repeated, keepResult } = stored;
  const pipeline = createPipeline({ options, host, measure, listeners, optionsOf, stored });
  const accessOf = createAccess(resolved.access, notify);
  const sweep: Offloader["sweep"] = () => lifetime.sweep();
  const offloader: Offloader = {
    offload: pipeline.offload,
    offloadAll: pipeline.offloadAll,
    put: pipeline.put,
    tools: (sessionId) =>
      sessionTools({ ...options, drillIn, sweep, options }, sessionId, accessOf),
    drillIn,
    store,
    options,
    stats: (sessionId) =>
      stats.stats(sessionId === undefined ? undefined : sessionKeyOf(sessionId)),
    sweep,
    endSession: async (sessionId) => {
      const sessionKey = sessionKeyOf(sessionId);
      repeated.forget(sessionKey);
      await host.endSession(sessionKey);
      await drillIn.forget(sessionKey);
      return await lifetime.endSession(sessionId);
    },
    close: async () => {
      pipeline.turns.close();
      await Promise.all([drillIn.close(), lifetime.close()]);
      await host.close();
    },
  };
  return withInternals(offloader, {
    turns: pipeline.turns,
    toolsShown(sessionId, definitionTokens) {
      const sessionKey = sessionKeyOf(sessionId);
      if (stats.shownTokens(sessionKey) === definitionTokens) return;
      notify({ type: "tools-shown", sessionKey, definitionTokens });
    },
    admits: pipeline.admits,
    host,
    notify,
    core,
    accessOf,
    report: drillIn.report,
    used: lifetime.used,
  });
}

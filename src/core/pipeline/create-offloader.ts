import { withDeadline } from "../../util/abort.js";
import { inSlices } from "../../util/slices.js";
import { createDrillIn } from "../drill-in/drill-in.js";
import { LONGEST_WAIT_MS } from "../drill-in/find.js";
import { createMeasure } from "../measure/measure.js";
import type { OffloadOptions } from "../options/options.js";
import { applyOverrides, resolveOptions } from "../options/resolve.js";
import { resolveToolNames } from "../options/tools.js";
import { type CoreParts, createPluginHost } from "../plugin-host/plugin-host.js";
import { createLifetime } from "../store/lifetime.js";
import { sessionKeyOf } from "../store/naming.js";
import type { AccessOf, AccessRule } from "../types/access.js";
import { emit, type OffloadListener } from "../types/events.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Call } from "./call.js";
import type { PipelineContext } from "./context.js";
import { sessionTools } from "./session-tools.js";
import { createListeners } from "./observe/listeners.js";
import { INTERNALS, type Internals, type Offloader } from "./offloader.js";
import { createPipeline } from "./pipeline.js";
import { createRepeatedOutputs } from "./repeated-outputs.js";
import * as z from "zod";

export type { Offloader } from "./offloader.js";

/**
 * Creates an offloader, which runs the pipeline `content -> measure -> decide -> store -> describe`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloader(given: OffloadOptions = {}): Offloader {
  return offloaderFor("createOffloader", given);
}

/**
 * @param factory - The factory's name, for errors.
 * @param adjusted - Adjusts the checked and merged options to the caller's protocol.
 */
export function offloaderFor(
  factory: string,
  given: OffloadOptions,
  adjusted?: (options: OffloadOptions) => OffloadOptions,
): Offloader {
  const resolved = resolveOptions(given, factory, adjusted);
  const { store, now, perTool } = resolved;
  const listeners = createListeners(resolved.onEvent, () => host);
  const { notify, onEvent, stats } = listeners;
  const measure = createMeasure(resolved);
  const count = async (text: string) => (await measure.count(text)).tokens;
  const core: CoreParts = {
    store,
    now,
    countTokens: count,
    put: (...made) => pipeline.keepMade(...made),
    find: async (reference, call) => {
      const found = await drillIn.find(reference, call);
      return typeof found === "string" ? undefined : found;
    },
    storeEncoded: (...stored) => pipeline.storeEncoded(...stored),
    offloadUser: (message) => pipeline.offloadUser(message),
    isCleaned: () => host.clean !== undefined,
    drillIns: () => drillIn.context,
    limits: resolved.drillInLimits,
    keepAsCame: async (result) =>
      await (await import("./store-and-describe.js")).keepResult(context, result),
  };
  const host = createPluginHost(resolved, notify, core);
  const { clean, tools } = host;
  const toolNames = resolveToolNames(resolved, tools);
  const options = { ...resolved, toolNames };
  const { toolShapes } = options;
  const ofTool = (toolName: string): Call["options"] => perTool.get(toolName) ?? resolved;

  const lifetime = createLifetime({
    ...resolved,
    refreshMs: ({ toolName, lifeMs }) => {
      const { refreshOnRead, ttlMs } = ofTool(toolName);
      return refreshOnRead ? (lifeMs ?? ttlMs) : undefined;
    },
    onEvicted: (storedArtifact) => {
      drillIn.markEvicted(storedArtifact);
      void drillIn.forget(storedArtifact.id);
      notify({ type: "evicted", storedArtifact });
    },
    whileHeld: async (expired) => {
      await inSlices(expired, (storedArtifact) => {
        drillIn.remember(storedArtifact);
        host.onEvent({ type: "expired", specName: "OffloadFileExpired", storedArtifact }, {});
      });
      await drillIn.sweep();
    },
    onExpired: tellingExpired(onEvent),
  });
  const drillIn = createDrillIn({
    ...resolved,
    measure,
    limits: resolved.drillInLimits,
    shapes: toolShapes,
    names: toolNames,
    onRead: lifetime.used,
    tools,
    clean: clean && ((text, toolName) => clean(text, { toolName, part: "output" })),
    onEvent: notify,
  });
  const repeated = createRepeatedOutputs(store, lifetime);
  const context: PipelineContext = {
    options,
    optionsOf: ({ toolName, overrides }) => applyOverrides(ofTool(toolName), overrides),
    host,
    measure,
    count,
    notify,
    stats,
    lifetime,
    drillIn,
    repeated,
  };
  const pipeline = createPipeline(context);
  const accessOf = createAccess(resolved.access, notify);
  const sweep: Offloader["sweep"] = () => lifetime.sweep();
  const offloader: Offloader = {
    offload: pipeline.offload,
    offloadAll: pipeline.offloadAll,
    put: pipeline.put,
    tools: (sessionId) =>
      sessionTools({ drillIn, toolNames, toolShapes, sweep }, sessionId, accessOf),
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
      await lifetime.close();
      await drillIn.close();
      await host.close();
    },
  };
  const own: Internals = {
    turns: pipeline.turns,
    toolsShown(sessionId, definitionTokens) {
      const sessionKey = sessionKeyOf(sessionId);
      if (stats.stats(sessionKey).definitionTokens === definitionTokens) return;
      notify({ type: "tools-shown", sessionKey, definitionTokens });
    },
    admits: pipeline.admits,
    host,
    notify,
    core,
    accessOf,
  };
  return Object.assign(offloader, { [INTERNALS]: own });
}

/** A closure in the function above would hold the offloader. */
function tellingExpired(onEvent: OffloadListener): (storedArtifact: StoredArtifact) => void {
  return (storedArtifact) =>
    emit(onEvent, { type: "expired", specName: "OffloadFileExpired", storedArtifact });
}

const MAX_SESSIONS = 16;

function createAccess(rule: AccessRule | undefined, notify: OffloadListener): AccessOf {
  return (sessionId, context) =>
    rule === undefined || sessionId === undefined
      ? undefined
      : async (artifactId) => {
          try {
            const given = await withDeadline(
              { timeoutMs: LONGEST_WAIT_MS, late: "`access` did not return a list in time." },
              async () => rule({ sessionId, artifactId, context }),
            );
            const sessions = z.array(z.string()).parse(given).slice(0, MAX_SESSIONS);
            return sessions.map(sessionKeyOf);
          } catch (error) {
            notify({ type: "option-failed", option: "access", error });
            return [];
          }
        };
}

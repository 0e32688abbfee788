import { createDrillIn, type OwnDrillIn } from "../drill-in/drill-in.js";
import type { OutlineElsewhere } from "../describe/outlines/outline-of.js";
import type { TokenMeasure } from "../measure/measure.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import type { PluginHost } from "../plugin-host/plugin-host.js";
import { createLifetime, type Lifetime } from "../store/lifetime.js";
import type { StoredArtifact } from "../types/artifact.js";
import { emit, type OffloadEvent, type OffloadListener } from "../types/events.js";
import type { Call } from "./call.js";
import { createKeepResult, type KeepResult } from "./enter/keep-result.js";
import type { Listeners } from "./observe/listeners.js";
import { createRepeatedOutputs, type RepeatedOutputs } from "./repeated-outputs.js";
import type { Steps } from "./walk.js";

export interface StoredOutputs {
  readonly lifetime: Lifetime;
  readonly drillIn: OwnDrillIn;
  readonly keepResult: KeepResult;
  readonly storeAndDescribe: Steps["storeAndDescribe"];
  readonly repeated: RepeatedOutputs;
}

interface StoredParts {
  readonly resolved: ResolvedOffloadOptions;
  readonly host: PluginHost;
  readonly measure: TokenMeasure;
  readonly listeners: Listeners;
  readonly optionsOf: (output: Call["output"]) => Call["options"];
}

export function createStoredOutputs(parts: StoredParts): StoredOutputs {
  const { resolved, host, measure, listeners, optionsOf } = parts;
  const { store, now, perTool, toolNames } = resolved;
  const { notify, onEvent } = listeners;
  const lifetime = createLifetime({
    ...resolved,
    refreshMs: ({ toolName }) => {
      const { refreshOnRead, ttlMs } = perTool.get(toolName) ?? resolved;
      return refreshOnRead ? ttlMs : undefined;
    },
    onEvicted: (storedArtifact) => {
      drillIn.markEvicted(storedArtifact);
      notify({ type: "evicted", storedArtifact });
    },
    whileHeld: (storedArtifact) => {
      drillIn.remember(storedArtifact);
      host.onEvent({ type: "expired", specName: "OffloadFileExpired", storedArtifact }, {});
    },
    onExpired: tellingExpired(onEvent),
  });
  const drillIn = createDrillIn({
    ...resolved,
    measure,
    limits: resolved.drillInLimits,
    shapes: resolved.toolShapes,
    names: toolNames,
    onRead: lifetime.used,
    tools: host.tools,
    clean:
      host.clean &&
      (async (text, toolName) => (await host.clean?.(text, { toolName, part: "output" })) ?? text),
    onEvent: notify,
    onAnswer: ({ tool, name = tool, call, ...answer }) => {
      const event: OffloadEvent = { type: "drilled-in", tool: name, ...answer };
      if (call === undefined) notify(event);
      else {
        const { args, toolCallId, text } = call;
        notify(event, { args, toolCallId, answerBytes: Buffer.byteLength(text) });
      }
    },
  });
  const onKept = (artifact: StoredArtifact): void => {
    lifetime.begin(artifact.expiresAt);
    drillIn.remember(artifact);
    drillIn.warm();
  };
  const { cleanerOf, describe: partsOf } = host;
  const own = { store, measure, lifetime, now, onKept };
  const repeated = createRepeatedOutputs(store, lifetime);
  let loaded: Promise<Steps["storeAndDescribe"]> | undefined;

  const outlineElsewhere: OutlineElsewhere = (document) => drillIn.context.jq().outline(document);
  /** With the first large output: an agent whose outputs are small never needs it. */
  async function loadStoreAndDescribe(): Promise<Steps["storeAndDescribe"]> {
    const { createStoreAndDescribe } = await import("./store-and-describe.js");
    return createStoreAndDescribe({ ...own, toolNames, partsOf, outlineElsewhere, repeated });
  }

  return {
    lifetime,
    drillIn,
    keepResult: createKeepResult({ ...own, optionsOf, notify, cleanerOf }),
    repeated,
    async storeAndDescribe(call, encoded, verdict) {
      loaded ??= loadStoreAndDescribe();
      return await (
        await loaded
      )(call, encoded, verdict);
    },
  };
}

/** Here, because a function in there would hold the offloader. */
function tellingExpired(onEvent: OffloadListener): (storedArtifact: StoredArtifact) => void {
  return (storedArtifact) =>
    emit(onEvent, { type: "expired", specName: "OffloadFileExpired", storedArtifact });
}

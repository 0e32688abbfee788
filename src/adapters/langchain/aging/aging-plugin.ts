import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { coreOf } from "../../../core/plugin-host/plugin-host.js";
import { OffloadError } from "../../../core/types/errors.js";
import type { OffloadPlugin, PluginHooks } from "../../../core/types/plugin.js";
import { type AgingOptions, resolveAging } from "../../../plugins/aging/aging-options.js";
import type { AgentHooks, AgentHost } from "../agent-hooks.js";
import type { RunSite } from "../run/call-site.js";
import { agingInAgent } from "./aged-request.js";
import { type Aging, createAging } from "./aging.js";
import { createRestoring } from "./restore-aged.js";

const agings = new WeakMap<PluginHooks, (offloader: Offloader) => Aging>();

/** The aging of an offloader; `undefined` where it has no such plug-in. */
export function agingOf(offloader: Offloader): Aging | undefined {
  const { plugged } = internals(offloader).host;
  return plugged.flatMap(({ hooks }) => agings.get(hooks) ?? [])[0]?.(offloader);
}

/**
 * Results that have gone stale leave the context of a long conversation, and one call brings each back. For agents with
 * `offloadMiddleware`, and hand-written graphs with `ageMessages`. With `perTool.X.plugins.aging: false` the results of a tool
 * stay.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function aging(options: AgingOptions = {}): OffloadPlugin {
  const rules = resolveAging(options);
  return {
    name: "aging",
    setup(given) {
      const api = coreOf(given);
      if (rules.mode === "replace" && api.store.refresh === undefined)
        throw new OffloadError(
          "INVALID_OPTIONS",
          `The store ${api.store.name} cannot move an expiry, so with aging({ mode: "replace" }) results would be lost before their ` +
            'conversation ends. Give its ArtifactStore a `refresh`, or use mode "mark".',
        );
      let own: Aging | undefined;
      const agingIn = (offloader: Offloader): Aging =>
        (own ??= createAging(offloader, { rules, api }));
      const restore = createRestoring(api);
      const hooks: PluginHooks = {
        agent: ({ offloader }: AgentHost): AgentHooks =>
          agingInAgent(offloader, agingIn(offloader)),
        beforeRead: (args, at: RunSite) => restore(at, args),
      };
      agings.set(hooks, agingIn);
      return hooks;
    },
  };
}

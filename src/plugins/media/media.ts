import * as z from "zod";

import type { AgentHooks, AgentHost } from "../../adapters/langchain/agent-hooks.js";
import { ownTool } from "../../core/drill-in/context.js";
import { coreOf } from "../../core/plugin-host/plugin-host.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import type { MediaKind } from "../../core/types/media.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { checkedOptions, oneOf, optionalsOf, optionsOf, size } from "../../util/option-rules.js";
import { type ViewsOf, viewTool, withUserViews } from "./view.js";
import { wrapMedia } from "./wrap-output.js";

/** How images, sounds, documents and other files in tool outputs are handled. */
export interface MediaOptions {
  /**
   * Largest block that stays in the message, in bytes after decoding; one of exactly this size stays.
   * @remarks Set it when the model should see small images at once, or none at all: `{ bytes: 0 }` stores every one.
   * @defaultValue `{ bytes: 65_536 }`, 64 KiB
   */
  readonly threshold?: { readonly bytes: number };
  /**
   * What `view_tool_output` can show the model. `"auto"` follows `model.profile` (`imageInputs`,
   * `pdfInputs`, `audioInputs`, `videoInputs`), and shows nothing to a model without a profile. A
   * list names the kinds; `[]` shows nothing.
   * @remarks Set it when the model has no profile, as behind a proxy, or its provider takes in tool
   * messages less than in others.
   * @defaultValue `"auto"`
   */
  readonly views?: "auto" | readonly Exclude<MediaKind, "file">[];
}

const threshold = optionsOf({ bytes: size });
const kinds = z.array(z.enum(["image", "audio", "video", "pdf"]));
const schema = optionalsOf({
  threshold,
  views: oneOf(
    [z.enum(["auto"]), kinds],
    '"auto", or a list of "image", "audio", "video" and "pdf"',
  ),
});
const toolSchema = optionalsOf({ threshold });

/**
 * Stores images, sounds, PDF and other files in content blocks that are larger than a threshold, byte for byte, and
 * adds a tool that shows one to the model. `perTool.X.plugins.media: { threshold }` sets a tool's own threshold.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function media(options: MediaOptions = {}): OffloadPlugin {
  const { threshold: usual = { bytes: 65_536 }, views: asked = "auto" } =
    checkedOptions<MediaOptions>("media", schema, options);
  return {
    name: "media",
    toolOptions: toolSchema,
    setup(api) {
      let fixed: readonly MediaKind[] | undefined = asked === "auto" ? undefined : asked;
      const model = api.perSession<{ taken?: readonly MediaKind[] | undefined }>(() => ({}));
      const viewsOf: ViewsOf = (session) => fixed ?? model(session).taken;
      const thresholdBytes = (toolName: string): number => {
        const own = fieldOf(fieldOf(api.toolOptions(toolName), "threshold"), "bytes");
        return typeof own === "number" ? own : usual.bytes;
      };
      return {
        wrapOutput: wrapMedia(coreOf(api), thresholdBytes, viewsOf),
        tools: [ownTool(viewTool(viewsOf))],
        mcp({ views }) {
          fixed ??= views;
        },
        agent: (host: AgentHost): AgentHooks => ({
          async wrapModelCall(request, next, { sessionId }) {
            // The model may have changed since the last call.
            if (sessionId !== undefined)
              model({ sessionKey: sessionKeyOf(sessionId) }).taken = takenBy(request.model);
            return await next({
              ...request,
              messages: await withUserViews(request.messages, request.model, host),
            });
          },
        }),
      };
    },
  };
}

/** `undefined` for a model without a profile. */
function takenBy(model: unknown): readonly MediaKind[] | undefined {
  const profile = fieldOf(model, "profile");
  if (!isRecord(profile) || Object.keys(profile).length === 0) return undefined;
  return (["image", "pdf", "audio", "video"] as const).filter(
    (kind) => profile[`${kind}Inputs`] === true,
  );
}

import * as z from "zod";

import type { AgentHooks, AgentHost } from "../../adapters/langchain/agent-hooks.js";
import { ownTool } from "../../core/drill-in/context.js";
import { coreOf } from "../../core/plugin-host/plugin-host.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import type { MediaKind } from "../../core/types/media.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { fieldOf } from "../../util/field-of.js";
import { checkedOptions, oneOf, optionsOf, size } from "../../util/option-rules.js";
import { viewTool, withUserViews } from "./view.js";
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

const threshold = optionsOf({ bytes: size }).optional();
const kinds = z.array(z.enum(["image", "audio", "video", "pdf"]));
const schema = optionsOf({
  threshold,
  views: oneOf(
    [z.enum(["auto"]), kinds],
    '"auto", or a list of "image", "audio", "video" and "pdf"',
  ).optional(),
});
const toolSchema = optionsOf({ threshold });

/**
 * Stores images, sounds, PDF and other files in content blocks that are larger than a threshold, byte for byte, and
 * adds a tool that shows one to the model. `perTool.X.plugins.media: { threshold }` sets a tool's own threshold.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function media(options: MediaOptions = {}): OffloadPlugin {
  const checked = checkedOptions<MediaOptions>("media", schema, options);
  const { threshold: usual = { bytes: 65_536 }, views: asked = "auto" } = checked;
  return {
    name: "media",
    toolOptions: toolSchema,
    setup(api) {
      const limits: { views: "auto" | readonly MediaKind[] } = { views: asked };
      const model = api.perSession<{ taken?: readonly MediaKind[] | undefined }>(() => ({}));
      const thresholdBytes = (toolName: string): number => {
        const own = fieldOf(fieldOf(api.toolOptions(toolName), "threshold"), "bytes");
        return typeof own === "number" ? own : usual.bytes;
      };
      return {
        wrapOutput: wrapMedia(coreOf(api), {
          limits,
          thresholdBytes,
          takenBy: (session) => model(session).taken,
        }),
        tools: [ownTool(viewTool(limits, (call) => model(call).taken))],
        mcp({ views }) {
          if (asked === "auto") limits.views = views;
        },
        agent: (host: AgentHost): AgentHooks => ({
          async wrapModelCall(request, next, { sessionId }) {
            // The model may have changed since the last call.
            if (sessionId !== undefined)
              model({ sessionKey: sessionKeyOf(sessionId) }).taken = takenBy(request.model);
            if (host.offloader.options.toolNames["view"] === undefined) return await next(request);
            const messages = withUserViews(request.messages, request.model, host);
            return await next(messages === request.messages ? request : { ...request, messages });
          },
        }),
      };
    },
  };
}

/** `undefined` for a model without a profile. */
function takenBy(model: unknown): readonly MediaKind[] | undefined {
  const profile = fieldOf(model, "profile");
  if (typeof profile !== "object" || profile === null || Object.keys(profile).length === 0) {
    return undefined;
  }
  const takes = (name: string): boolean => fieldOf(profile, name) === true;
  return (["image", "pdf", "audio", "video"] as const).filter((kind) => takes(`${kind}Inputs`));
}

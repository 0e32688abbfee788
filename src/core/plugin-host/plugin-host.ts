import { type Cleaner, createCleaner } from "../clean/cleaner.js";
import { streamOf } from "../content/stream/output-stream.js";
import type { Describer, DescriberInput } from "../describe/describer.js";
import type { EncodedOutput, KeepResult, StoreReason } from "../pipeline/call.js";
import type { DrillInContext } from "../drill-in/context.js";
import type { DrillInLimits } from "../engines/limits.js";
import { OffloadError, refuseOptions } from "../types/errors.js";
import {
  emit,
  type EventDetail,
  type Notify,
  type OffloadEvent,
  type OffloadListener,
} from "../types/events.js";
import type {
  Clean,
  DrillInTool,
  NextOutput,
  OutputCall,
  PluginApi,
  PluginHooks,
  TextPart,
} from "../types/plugin.js";
import type { ToolOutput } from "../types/output.js";
import type { DescriptorPart, OffloadedOutput, OffloadResult } from "../types/result.js";
import { withDeadline } from "../../util/abort.js";
import { atOnce } from "../../util/at-once.js";
import { fieldOf } from "../../util/field-of.js";
import { keepLatest } from "../../util/keep-latest.js";
import { shorten } from "../../util/safe-text.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import { checkedTools, checkHooks, checkSettings } from "./checks.js";

export interface CoreApi extends PluginApi {
  /** Stores and describes what a plugin has laid out. @throws Errors of the store */
  storeEncoded(
    call: OutputCall,
    encoded: EncodedOutput,
    about: StoreReason & { readonly describer: Describer },
  ): Promise<OffloadedOutput | undefined>;
  /** Stores a large user message; if that fails, it stays whole. Never rejects. */
  offloadUser(
    message: ToolOutput & {
      readonly describer: Describer;
      readonly onEvent?: OffloadListener | undefined;
    },
  ): Promise<OffloadResult>;
  readonly isCleaned: () => boolean;
  readonly drillIns: () => DrillInContext;
  readonly limits: DrillInLimits;
  readonly keepAsCame: KeepResult;
}

export type CoreParts = Omit<
  CoreApi,
  "clean" | "emit" | "perSession" | "toolOptions" | "toolsWithOptions"
>;

export function coreOf(api: PluginApi): CoreApi {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the host gives has both.
  return api as CoreApi;
}

export interface PluginHost {
  readonly clean?: ((text: string, part: TextPart) => Promise<string>) | undefined;
  readonly cleanerOf: (call: CleanedCall) => Cleaner | undefined;
  readonly wrapOutput?:
    | ((call: OutputCall, pipeline: NextOutput) => Promise<OffloadResult>)
    | undefined;
  readonly describe: (input: DescriberInput) => readonly DescriptorPart[];
  readonly tools: readonly DrillInTool[];
  readonly onOutput?: ((call: OutputCall, result: OffloadResult) => void) | undefined;
  readonly onEvent: (event: OffloadEvent, detail: EventDetail) => void;
  readonly endSession: (sessionKey: string) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly plugged: readonly Plugged[];
  readonly failed: Failed;
}

interface Plugged {
  readonly name: string;
  readonly hooks: PluginHooks;
  /** `undefined` without settings, `false` if the plugin is switched off. */
  readonly settings: (toolName: string) => unknown;
}

type CleanedCall = Pick<ToolOutput, "toolName" | "toolCallId" | "cleanTexts">;

type Failed = (
  plugin: string,
  hook: string,
  error: unknown,
  about?: {
    readonly toolName?: string | undefined;
    readonly toolCallId?: string | undefined;
    readonly sessionKey?: string | undefined;
  },
) => void;

const MAX_SESSIONS = 1_000;
/** Longest time of a hook without `next`, in milliseconds. */
const HOOK_MS = 60_000;
const CLOSE_MS = 10_000;
const MAX_GUIDANCE_CHARACTERS = 240;

/**
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` for duplicate plugins and unknown hooks; errors of
 * `setup`.
 */
export function createPluginHost(
  { plugins, perTool }: Pick<ResolvedOffloadOptions, "plugins" | "perTool">,
  notify: Notify,
  core: CoreParts,
): PluginHost {
  const failed: Failed = (plugin, hook, error, { toolName, toolCallId, sessionKey } = {}) =>
    notify({ type: "plugin-failed", plugin, hook, toolName, toolCallId, sessionKey, error });

  const plugged: Plugged[] = [];
  for (const plugin of plugins) {
    const { name } = plugin;
    if (plugged.some((other) => other.name === name))
      refuseOptions(`The plugin "${name}" is given twice.`);
    const settings = (toolName: string): unknown => perTool.get(toolName)?.ofPlugins?.[name];
    const api: CoreApi = {
      ...core,
      clean: cleaned,
      emit: notify,
      perSession,
      toolsWithOptions: [...perTool.keys()].filter((toolName) => settings(toolName) !== undefined),
      toolOptions: settings,
    };
    const hooks = atOnce("setup", plugin.setup(api));
    checkHooks(name, hooks);
    plugged.push({ name, hooks, settings });
  }
  for (const [toolName, { ofPlugins }] of perTool) checkSettings(plugins, toolName, ofPlugins);
  const having = <Hook extends keyof PluginHooks>(
    hook: Hook,
  ): (Plugged & { readonly hook: NonNullable<PluginHooks[Hook]> })[] =>
    plugged.flatMap((one) => {
      const found = one.hooks[hook];
      return found === undefined ? [] : [{ ...one, hook: found }];
    });
  const cleaning = having("clean");
  const wrapping = having("wrapOutput");
  const describing = having("describe");
  const hearing = having("onEvent");
  const watching = having("onOutput");

  async function clean(text: string, part: TextPart, toolCallId?: string): Promise<string> {
    const { toolName } = part;
    let left = text;
    for (const { name, hook, settings } of cleaning) {
      if (settings(toolName) === false) continue;
      try {
        left = await textOf(hook, left, part);
      } catch (error) {
        failed(name, "clean", error, { toolName, toolCallId });
        throw error;
      }
    }
    return left;
  }

  function cleanerOf({ toolName, toolCallId, cleanTexts }: CleanedCall): Cleaner | undefined {
    if (cleaning.every(({ settings }) => settings(toolName) === false)) return undefined;
    const names = cleaning.map(({ name }) => name).join(", ");
    return createCleaner(
      (text, part) => clean(text, part, toolCallId),
      toolName,
      (error) => failed(names, "clean", error, { toolName, toolCallId }),
      cleanTexts,
    );
  }

  async function cleaned(text: string, part: TextPart): Promise<string> {
    try {
      return await clean(text, part);
    } catch (cause) {
      throw new OffloadError("REDACT_FAILED", "A text could not be cleaned. See the cause.", {
        cause,
      });
    }
  }

  function onionOf(pipeline: NextOutput, toolName: string): NextOutput {
    return wrapping.reduceRight<NextOutput>((next, { name, hook, settings }) => {
      if (settings(toolName) === false) return next;
      return (call) =>
        wrapped(hook, call, next, (error) =>
          failed(name, "wrapOutput", error, { ...call.call, toolName }),
        );
    }, pipeline);
  }

  /** A session, or with all of them the offloader. */
  async function ended(timeoutMs: number, sessionKey?: string) {
    const late = `It took more than ${timeoutMs} ms.`;
    const all = plugged.map(async ({ name, hooks }) => {
      try {
        await withDeadline({ timeoutMs, late }, async () =>
          sessionKey === undefined ? hooks.close?.() : hooks.endSession?.(sessionKey),
        );
      } catch (error) {
        failed(name, sessionKey === undefined ? "close" : "endSession", error, { sessionKey });
      }
    });
    await Promise.all(all);
  }

  return {
    clean: cleaning.length > 0 ? clean : undefined,
    cleanerOf,
    wrapOutput:
      wrapping.length > 0
        ? (call, pipeline) => onionOf(pipeline, call.output.toolName)(call)
        : undefined,
    describe: (input) =>
      describing.flatMap(({ name, hook, settings }) => {
        const { toolName, sessionKey } = input.storedArtifact;
        if (settings(toolName) === false) return [];
        try {
          const { guidance = "" } = atOnce("describe", hook(input)) ?? {};
          return guidance === "" ? [] : [{ guidance: shorten(guidance, MAX_GUIDANCE_CHARACTERS) }];
        } catch (error) {
          failed(name, "describe", error, { toolName, sessionKey });
          return [];
        }
      }),
    tools: checkedTools(plugged, failed),
    onOutput:
      watching.length > 0
        ? (call, result) => {
            for (const { name, hook } of watching)
              emit(
                () => hook(call, result),
                result,
                (error) => failed(name, "onOutput", error, call.call),
              );
          }
        : undefined,
    onEvent: (event, detail) => {
      for (const { name, hook } of hearing) {
        emit(
          () => hook(event, detail),
          event,
          (error) => {
            // An event about an event would recurse.
            if (event.type !== "plugin-failed") failed(name, "onEvent", error);
          },
        );
      }
    },
    endSession: (sessionKey) => ended(HOOK_MS, sessionKey),
    close: () => ended(CLOSE_MS),
    plugged,
    failed,
  };
}

async function textOf(hook: Clean, text: string, part: TextPart): Promise<string> {
  const given: unknown = hook(text, part);
  // A synchronous text needs no timer.
  const left =
    typeof given === "string"
      ? given
      : await withDeadline(
          { timeoutMs: HOOK_MS, late: `clean returned no text within ${HOOK_MS} ms.` },
          async () => given,
        );
  if (typeof left === "string") return left;
  throw new TypeError("clean must return a string.");
}

async function wrapped(
  hook: NonNullable<PluginHooks["wrapOutput"]>,
  call: OutputCall,
  next: NextOutput,
  failed: (error: unknown) => void,
): Promise<OffloadResult> {
  let changed: OutputCall | undefined;
  let result: Promise<OffloadResult> | undefined;
  let expire: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    timer = setTimeout(() => expire?.(), HOOK_MS);
  };
  const runNext = (given: OutputCall): Promise<OffloadResult> => {
    if (result === undefined) {
      if (fieldOf(fieldOf(given, "output"), "toolName") === undefined)
        throw new TypeError("next takes the call.");
      clearTimeout(timer);
      changed = given;
      result = next(given);
      // Avoids an unhandled rejection if the hook does not await it.
      result.then(arm, () => undefined);
    }
    return result;
  };
  try {
    const late = new Promise<never>((_, reject) => {
      expire = () => reject(new Error(`wrapOutput took more than ${HOOK_MS} ms.`));
    });
    arm();
    const given: unknown = await Promise.race([(async () => hook(call, runNext))(), late]);
    if (isResult(given)) return given === (await result) ? given : shown(given, call);
    throw new TypeError("wrapOutput must return what next returns, or a result of its own.");
  } catch (error) {
    // Errors of the pipeline are not the hook's.
    const made = await result;
    failed(error);
    // What a failed hook has changed is not all that there is.
    const isLost = changed?.output !== call.output && streamOf(call.output.value) === undefined;
    return made === undefined || isLost ? await next(call) : made;
  } finally {
    clearTimeout(timer);
  }
}

function shown(result: OffloadResult, { output }: OutputCall): OffloadResult {
  if (result.outcome !== "inline" || result.text !== undefined) return result;
  const { value } = result;
  return typeof value === "string" && value !== output.value ? { ...result, text: value } : result;
}

function isResult(given: unknown): given is OffloadResult {
  const { outcome, text, keptBlocks, storedArtifact }: Record<string, unknown> = Object(given);
  if (outcome === "inline") return typeof (text ?? "") === "string";
  const isLeft = outcome === "truncated" || storedArtifact !== undefined;
  return isLeft && typeof text === "string" && Array.isArray(keptBlocks);
}

function perSession<State>(create: () => State): (call: { readonly sessionKey: string }) => State {
  const states = new Map<string, State>();
  return ({ sessionKey }) => {
    const state = states.get(sessionKey) ?? create();
    keepLatest(states, sessionKey, state, MAX_SESSIONS);
    return state;
  };
}

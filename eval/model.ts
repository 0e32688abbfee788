import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { initChatModel } from "langchain";

import { messageOf } from "../src/util/error-message.js";
import { scriptedReader } from "./reader/scripted-reader.js";

/** The name under which the scripted reader is run and recorded. */
export const SCRIPTED = "scripted";

/** Window that is taken where neither an option nor the model's profile says one, in tokens. */
const DEFAULT_WINDOW_TOKENS = 128_000;

/** A model and the input it takes. */
export interface EvaluatedModel {
  readonly model: BaseChatModel;
  readonly windowTokens: number;
}

/**
 * Makes the model of a name: `scripted`, or any that `initChatModel` knows, as `provider:model`.
 *
 * @throws an `Error` that says what to install when the provider's package is missing.
 */
export async function createModel(
  name: string,
  options: { readonly windowTokens?: number; readonly temperature?: number } = {},
): Promise<EvaluatedModel> {
  const { windowTokens, temperature } = options;
  if (name === SCRIPTED) {
    const tokens = windowTokens ?? DEFAULT_WINDOW_TOKENS;
    return { model: scriptedReader(tokens), windowTokens: tokens };
  }
  const model = await load(name, temperature === undefined ? {} : { temperature });
  const known: unknown = Reflect.get(Object(Reflect.get(model, "profile")), "maxInputTokens");
  const profile = typeof known === "number" ? known : DEFAULT_WINDOW_TOKENS;
  return { model, windowTokens: windowTokens ?? profile };
}

async function load(name: string, options: { temperature?: number }): Promise<BaseChatModel> {
  try {
    return await initChatModel(name, options);
  } catch (error) {
    const text = messageOf(error);
    const missing = /@langchain\/[\w-]+/.exec(text)?.[0];
    if (missing === undefined || !/install|import|find/i.test(text)) throw error;
    throw new Error(
      `The model ${name} needs the package ${missing}. Install it without changing this project's package.json:\n` +
        `  npm install --no-save ${missing}`,
      { cause: error },
    );
  }
}

import { fieldOf } from "../../../util/field-of.js";

/** The model behind one that is chosen at run time or bound to settings, and whether OpenAI's package calls it. */
export async function openModel(given: unknown): Promise<{ model: unknown; isOpenAi: boolean }> {
  const open = fieldOf(given, "_getModelInstance");
  const model: unknown =
    typeof open === "function"
      ? await Reflect.apply(open, given, [])
      : (fieldOf(given, "bound") ?? given);
  return { model, isOpenAi: "supportsStrictToolCalling" in Object(model) };
}

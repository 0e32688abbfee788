import { charactersAsTokens } from "../../../core/measure/characters.js";
import { jsonSchemaOf } from "../references/reference-schema.js";

/**
 * Counts what this library adds to the definitions that a model is sent: those of its own tools, and what
 * references add to others. Estimated as characters / 4 of their JSON, so that a model call loads no
 * tokenizer; a tool is counted once.
 */
export function createDefinitionCounter(
  ownTools: ReadonlySet<string>,
): (given: readonly object[], shown: readonly object[]) => number {
  const counted = new WeakMap<object, number>();

  function tokensOf(tool: object): number {
    const known = counted.get(tool);
    if (known !== undefined) return known;
    const [name, description, schema]: unknown[] = ["name", "description", "schema"].map(
      (key): unknown => Reflect.get(tool, key),
    );
    const definition = { type: "function", function: { name, description, parameters: {} } };
    definition.function.parameters = jsonSchemaOf(schema);
    const tokens = charactersAsTokens(JSON.stringify(definition));
    counted.set(tool, tokens);
    return tokens;
  }

  const isOwn = (tool: object): boolean => ownTools.has(String(Reflect.get(tool, "name")));

  return (given, shown) => {
    const added = shown.map((tool) => {
      if (isOwn(tool)) return tokensOf(tool);
      const name: unknown = Reflect.get(tool, "name");
      const before = given.find((one) => one === tool || Reflect.get(one, "name") === name);
      return before === undefined || before === tool ? 0 : tokensOf(tool) - tokensOf(before);
    });
    return added.reduce((sum, tokens) => sum + tokens, 0);
  };
}

import { Command, Overwrite } from "@langchain/langgraph";

/** What an update of a channel holds, as a list: also where it replaces what the channel has. */
export function valuesIn(update: unknown): readonly unknown[] {
  return [Overwrite.isInstance(update) ? update.value : update].flat();
}

/** A command's updates by channel, whether it has them as an object or as a list of pairs. */
export function updatesOf({ update }: Command): [string, unknown][] {
  return Array.isArray(update) ? update : Object.entries(update ?? {});
}

/** The same command with other updates, in the shape that it had them. */
export function withUpdates(command: Command, updates: [string, unknown][]): Command {
  return new Command({
    ...(command.graph !== undefined && { graph: command.graph }),
    ...(command.goto !== undefined && { goto: command.goto }),
    ...(command.resume !== undefined && { resume: command.resume }),
    update: Array.isArray(command.update) ? updates : Object.fromEntries(updates),
  });
}

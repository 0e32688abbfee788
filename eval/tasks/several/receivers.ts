import { createHash } from "node:crypto";

import type { TaskReceiver } from "../task.js";

type Receiving = Omit<TaskReceiver, "take"> & {
  /** What of an item counts; `undefined` for one that the tool does not take. */
  readonly of: (item: unknown) => string | undefined;
};

/** A tool that takes a list and gives a receipt, which only the right items in any order bring about. */
export function receiver({ of, ...tool }: Receiving): TaskReceiver {
  return {
    ...tool,
    take(data) {
      if (!Array.isArray(data)) return `${tool.argument} is a list.`;
      const items = data.map(of);
      const wrong = items.indexOf(undefined);
      if (wrong !== -1) return `Item ${wrong + 1} of ${tool.argument} is not as described.`;
      return `Received ${data.length} items. Receipt: ${receiptOf(items as string[])}`;
    },
  };
}

/** Of the items as they count. */
export function receiptOf(items: readonly string[]): string {
  const text = items.toSorted().join("\n");
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/** Members of an object as one text; `undefined` when one is missing. */
export function membersOf(item: unknown, names: readonly string[]): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const values = names.map((name): unknown => Reflect.get(item, name));
  return values.includes(undefined) ? undefined : values.map(String).join("|");
}

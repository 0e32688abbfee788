import { type StructuredTool, tool } from "@langchain/core/tools";
import { z } from "zod";

import type { PracticeTask, TaskReceiver } from "../tasks/task.js";

/** The tools of a task's agent: those that have its data, and the one that takes data. */
export function taskTools({ outputs, receiver }: PracticeTask): StructuredTool[] {
  const sources = outputs.map(({ tool: name, description, load }) =>
    tool(() => load(), { name, description, schema: z.object({}) }),
  );
  return receiver === undefined ? sources : [...sources, receiving(receiver)];
}

function receiving(receiver: TaskReceiver): StructuredTool {
  const { tool: name, description, argument, argumentDescription, take } = receiver;
  const data = z.array(z.unknown()).describe(argumentDescription);
  return tool((args: Readonly<Record<string, unknown>>) => take(args[argument]), {
    name,
    description,
    schema: z.object({ [argument]: data }),
  });
}

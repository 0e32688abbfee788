import type {
  DynamicStructuredTool,
  DynamicTool,
  StructuredTool,
  StructuredToolInterface,
} from "@langchain/core/tools";
import type { DirectToolOutput, MessageContent } from "@langchain/core/messages";

/** What a tool's output comes to: itself, or what stands for it. That is a text, with the images and files beside it. */
type OutputOrText<Output> = Output extends string
  ? string
  : Output extends DirectToolOutput
    ? Output
    : Output | MessageContent;

/** A tool of the same kind whose output may be a text that stands for it. */
export type OffloadedTool<Tool> =
  Tool extends DynamicStructuredTool<
    infer Schema,
    infer Parsed,
    infer Input,
    infer Output,
    infer Event,
    infer Name
  >
    ? Extended<
        Tool,
        DynamicStructuredTool<Schema, Parsed, Input, OutputOrText<Output>, Event, Name>
      >
    : Tool extends DynamicTool<infer Output, infer Event>
      ? Extended<Tool, DynamicTool<OutputOrText<Output>, Event>>
      : Tool extends StructuredTool<
            infer Schema,
            infer Parsed,
            infer Input,
            infer Output,
            infer Event
          >
        ? Extended<Tool, StructuredTool<Schema, Parsed, Input, OutputOrText<Output>, Event>>
        : Tool extends StructuredToolInterface<infer Schema, infer Input, infer Output>
          ? Extended<Tool, StructuredToolInterface<Schema, Input, OutputOrText<Output>>>
          : Tool extends { invoke(...args: infer Given): Promise<infer Output> }
            ? Extended<Tool, { invoke(...args: Given): Promise<OutputOrText<Output>> }>
            : never;

/** With what a class of one's own has beside that of LangChain. */
type Extended<Tool, Base> = [Exclude<keyof Tool, keyof Base>] extends [never]
  ? Base
  : Base & Omit<Tool, keyof Base>;

import * as z from "zod";

import { count, optionsOf } from "../../../util/option-rules.js";

/** How stored outputs are resources. */
export interface ResourceOptions {
  /**
   * Puts a `resource_link` beside each descriptor, for clients of revision 2025-06-18 or later. A client that shows
   * models what it does not know spends some 80 tokens on each. The adapters of LangChain, which hand a link to the
   * model's provider as a file at an address, get none.
   *
   * @defaultValue `false`
   */
  readonly links?: boolean;
  /**
   * The most that one `resources/read` gives, in tokens.
   *
   * @defaultValue `drillIn.maxAnswerTokens`, 2,000
   */
  readonly maxReadTokens?: number;
}

/** The rule of the option `resources`. */
export const resourcesRule: z.ZodType = z
  .union([
    z.boolean(),
    optionsOf({ links: z.boolean().optional(), maxReadTokens: count.optional() }),
  ])
  .optional();

/** Results that have gone stale leave the context of a long conversation. */
export type { AgingOptions } from "../../../plugins/aging/aging-options.js";
export { aging } from "./aging-plugin.js";
export { type AgedMessages, ageMessages } from "./age-messages.js";
export { countShownTokens, shownMessages } from "./messages/shown-messages.js";

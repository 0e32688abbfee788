/** Results that have gone stale leave the context, in graphs that are written by hand; agents have `offloadMiddleware({ aging })`. */
export { type AgedMessages, ageMessages } from "./age-messages.js";
export { countShownTokens, shownMessages } from "./messages/shown-messages.js";

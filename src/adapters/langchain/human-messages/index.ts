/** Long messages of the user. */
export {
  humanMessages,
  type HumanMessagesOptions,
  offloadHumanMessages,
} from "./human-messages.js";

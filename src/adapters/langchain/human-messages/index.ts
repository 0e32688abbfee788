export {
  humanMessages,
  type HumanMessagesOptions,
  offloadHumanMessages,
} from "./human-messages.js";

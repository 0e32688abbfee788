export { pluginContract } from "./plugin-contract.js";
export {
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedTurn,
} from "./scripted-model.js";
export { storeContract, type StoreContractTools } from "./store-contract/store-contract.js";

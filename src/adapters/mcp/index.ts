export type { HttpServer } from "./transport/http-upstream.js";
export {
  createOffloadProxy,
  type OffloadProxy,
  type OffloadProxyEnd,
  type OffloadProxyOptions,
} from "./proxy.js";
export { OFFLOAD_EXTENSION } from "./proxy-flag.js";
export {
  type ConnectableServer,
  offloadServer,
  type OffloadServerOptions,
} from "./server-extension.js";
export type { StdioServer } from "./transport/stdio-upstream.js";

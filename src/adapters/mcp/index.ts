/** For the Model Context Protocol: a proxy in front of any server, and offloading inside one's own. */
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
  lroServerExtension,
  type LroServerOptions,
} from "./server-extension.js";
export type { StdioServer } from "./transport/stdio-upstream.js";

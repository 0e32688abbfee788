import { withValueAt } from "../../core/content/json/json-text.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { type Message } from "./message.js";

/**
 * Extension by which a client declares that it offloads results itself, beside `clientInfo.proxy`:
 * SDKs drop unknown fields of `clientInfo`, and keep extensions.
 */
export const OFFLOAD_EXTENSION = "io.github.langchain-offload/lro";

const PROXY = '{"proxy":true}';
const META_INFO = "io.modelcontextprotocol/clientInfo";
const META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/**
 * Marks the sender as a proxy in `initialize`, and in the `_meta` of requests with client information.
 * Returns other messages unchanged.
 * @source LRO specification, Local LRO Proxy for Remote Servers.
 */
export function withProxyFlag({ text, method, params }: Message): string {
  if (method === "initialize" && isRecord(params["clientInfo"])) {
    return flagged(text, ["params", "clientInfo"], ["params", "capabilities"]);
  }
  if (isRecord(fieldOf(params["_meta"], META_INFO)))
    return flagged(text, ["params", "_meta", META_INFO], ["params", "_meta", META_CAPABILITIES]);
  return text;
}

function flagged(text: string, info: readonly string[], capabilities: readonly string[]): string {
  const named = withValueAt(text, [...info, "proxy"], "true");
  return withValueAt(named, [...capabilities, "extensions", OFFLOAD_EXTENSION], PROXY);
}

export function isFromProxy({ method, params }: Message): boolean {
  if (method === "initialize") return saysProxy(params["clientInfo"], params["capabilities"]);
  const { _meta: meta } = params;
  return saysProxy(fieldOf(meta, META_INFO), fieldOf(meta, META_CAPABILITIES));
}

function isProxy(said: unknown): boolean {
  return fieldOf(said, "proxy") === true;
}

function saysProxy(info: unknown, capabilities: unknown): boolean {
  const extension = fieldOf(fieldOf(capabilities, "extensions"), OFFLOAD_EXTENSION);
  return isProxy(info) || isProxy(extension);
}

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

/** Requests that a server may answer without having seen `initialize`. */
const OF_TOOLS = new Set(["tools/list", "tools/call"]);

/**
 * Marks the sender as a proxy in `initialize`, and in the `_meta` of requests for tools or with client information.
 * Returns other messages unchanged.
 * @source LRO specification, Local LRO Proxy for Remote Servers.
 */
export function withProxyFlag({ text, method, params }: Message): string {
  if (method === "initialize" && isRecord(params["clientInfo"])) {
    return flagged(text, ["params", "clientInfo"], ["params", "capabilities"]);
  }
  if (isRecord(fieldOf(params["_meta"], META_INFO)))
    return flagged(text, ["params", "_meta", META_INFO], ["params", "_meta", META_CAPABILITIES]);
  return OF_TOOLS.has(method ?? "")
    ? withValueAt(text, ["params", "_meta", OFFLOAD_EXTENSION], PROXY)
    : text;
}

function flagged(text: string, info: readonly string[], capabilities: readonly string[]): string {
  const named = withValueAt(text, [...info, "proxy"], "true");
  return withValueAt(named, [...capabilities, "extensions", OFFLOAD_EXTENSION], PROXY);
}

export function isFromProxy({ method, params }: Message): boolean {
  if (method === "initialize") return saysProxy(params["clientInfo"], params["capabilities"]);
  const { _meta: meta } = params;
  const isNamed = saysProxy(fieldOf(meta, META_INFO), fieldOf(meta, META_CAPABILITIES));
  return isNamed || isProxy(fieldOf(meta, OFFLOAD_EXTENSION));
}

function isProxy(said: unknown): boolean {
  return fieldOf(said, "proxy") === true;
}

function saysProxy(info: unknown, capabilities: unknown): boolean {
  const extension = fieldOf(fieldOf(capabilities, "extensions"), OFFLOAD_EXTENSION);
  return isProxy(info) || isProxy(extension);
}

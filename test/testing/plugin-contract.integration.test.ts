import { describe, expect, it } from "vitest";

import { references } from "../../src/adapters/langchain/references/references.js";
import { code } from "../../src/plugins/code/code.js";
import { journal } from "../../src/plugins/journal/index.js";
import { media } from "../../src/plugins/media/media.js";
import { openTelemetry } from "../../src/plugins/opentelemetry/open-telemetry.js";
import { redact } from "../../src/plugins/redact/redact.js";
import { extract } from "../../src/presets/index.js";
import { callArgument } from "../../src/presets/meta-cc/call-argument.js";
import { toolsAfterOffload } from "../../src/presets/mcpagent/tools-after-offload.js";
import { pluginContract } from "../../src/testing/index.js";
import { newDirectory } from "../after-file.js";

const tools = { describe, it, expect };

pluginContract("redact", () => redact((text) => text.replaceAll("Oslo", "[gone]")), tools);
pluginContract("media", () => media({ threshold: { bytes: 0 } }), tools);
pluginContract("code", () => code(), tools);
pluginContract("references", () => references(), tools);
pluginContract("extract", () => extract(), tools);
pluginContract("openTelemetry", () => openTelemetry(), tools);
pluginContract("journal", () => journal({ directory: newDirectory() }), tools);
pluginContract("callArgument", () => callArgument("limit", "Largest result."), tools);
pluginContract("toolsAfterOffload", () => toolsAfterOffload(), tools);

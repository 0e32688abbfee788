import { licenceText, packageFile } from "../data/package-file.js";
import type { TaskOutput } from "../task.js";

function file(tool: string, description: string, path: string): TaskOutput {
  return { tool, description, load: () => packageFile(path) };
}

export const LANGCHAIN_CHANGES: TaskOutput = file(
  "get_langchain_changelog",
  "Returns the changelog of langchain.",
  "langchain/CHANGELOG.md",
);
export const PARSER_CHANGES: TaskOutput = file(
  "get_parser_changelog",
  "Returns the changelog of Babel's parser.",
  "@babel/parser/CHANGELOG.md",
);
export const QS_CHANGES: TaskOutput = file(
  "get_qs_changelog",
  "Returns the changelog of qs.",
  "qs/CHANGELOG.md",
);
export const MIME_CHANGES: TaskOutput = file(
  "get_mime_db_history",
  "Returns the history of mime-db.",
  "mime-db/HISTORY.md",
);
export const STANDARD_TYPES: TaskOutput = file(
  "read_es5_types",
  "Returns TypeScript's declarations of ECMAScript 5.",
  "typescript/lib/lib.es5.d.ts",
);
export const REPLY_SOURCE: TaskOutput = file(
  "read_reply_source",
  "Returns the source of fastify's lib/reply.js.",
  "fastify/lib/reply.js",
);
export const ROUTE_SOURCE: TaskOutput = file(
  "read_route_source",
  "Returns the source of fastify's lib/route.js.",
  "fastify/lib/route.js",
);
export const ACORN_SOURCE: TaskOutput = file(
  "read_acorn_source",
  "Returns the source of acorn.",
  "acorn/dist/acorn.js",
);
export const HOOKS_PAGE: TaskOutput = file(
  "read_hooks_page",
  "Returns fastify's page on hooks.",
  "fastify/docs/Reference/Hooks.md",
);
export const REQUEST_PAGE: TaskOutput = file(
  "read_request_page",
  "Returns fastify's page on requests.",
  "fastify/docs/Reference/Request.md",
);
export const VALIDATION_PAGE: TaskOutput = file(
  "read_validation_page",
  "Returns fastify's page on validation and serialization.",
  "fastify/docs/Reference/Validation-and-Serialization.md",
);

function licence(id: string): TaskOutput {
  const tool = `get_licence_${id.replaceAll(/\W+/g, "_").toLowerCase()}`;
  const description = `Returns the text of the licence ${id}.`;
  return { tool, description, load: () => licenceText(id) };
}

export const MPL: TaskOutput = licence("MPL-2.0");
export const APACHE: TaskOutput = licence("Apache-2.0");

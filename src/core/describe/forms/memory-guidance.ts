import type { DetailLevel } from "../../types/artifact.js";
import { safeJson } from "../../../util/safe-text.js";
import type { FormInput } from "../describer.js";

const SAMPLE_FILTER: Readonly<Record<DetailLevel, string>> = {
  light: 'select(.memory_type == \\"semantic\\")',
  medium: "select(.confidence > 0.8)",
  full: "select(.provenance.confidence > 0.8)",
};

function heading({ storedArtifact: { recordCount, tokens } }: FormInput): string {
  return `Results offloaded to JSONL (${recordCount ?? 0} memories, ~${tokens} tokens saved).`;
}

function withoutShell({ tools: { jq } }: FormInput): string {
  if (jq === undefined) return "";
  return `Without a shell, ${jq}(id=file_path, filter) runs the quoted filter of a recipe; slurp=true for jq -s.`;
}

export function memoryGuidance(input: FormInput, reference: string): string {
  const { storedArtifact: artifact, tools } = input;
  const detail = `Detail level: ${artifact.detail}`;
  if (tools.extract === undefined) {
    return `${heading(input)}
File: ${reference}
${detail}

Use the jq recipes above to extract specific data. Common patterns:
- Browse: recipe #1 (titles with namespaces)
- Filter: recipe #2 (by namespace) or #3 (by keyword)
- Analyze: recipe #6 (count by namespace)
${withoutShell(input)}
Read the file directly only if you need the complete dataset.${artifact.headerBytes > 0 ? "\nThe header line (line 1) contains metadata; memory objects start at line 2." : ""}`;
  }
  const call = (rest: string): string =>
    `${tools.extract}(file_path=${safeJson(reference)}, ${rest})`;
  return `${heading(input)}
${detail}

Use the \`${tools.extract}\` tool to query this result set. Examples:
- Browse: ${call("recipe=1")}
- Filter by namespace: ${call('recipe=2, params={"namespace": "_semantic"}')}
- Search by keyword: ${call('recipe=3, params={"keyword": "your term"}')}
- Custom filter: ${call(`query="${SAMPLE_FILTER[artifact.detail]}"`)}

Available recipes: 1=titles+namespaces, 2=filter namespace, 3=search titles,
4=IDs+titles, 5=filter type, 6=count by namespace, 7=filter tag, 8=sort by date,
9=detail-adaptive, 10=detail-adaptive.`;
}

export function shortMemoryGuidance(input: FormInput): string {
  const { storedArtifact: artifact, tools } = input;
  const { extract } = tools;
  const start = `${heading(input)} Detail level: ${artifact.detail}.`;
  if (extract === undefined) {
    return `${start} Use the jq recipes above to extract specific data${artifact.headerBytes > 0 ? "; memory objects start at line 2" : ""}. ${withoutShell(input)}`.trimEnd();
  }
  return `${start} Use the \`${extract}\` tool with this file_path: ${extract}(file_path, recipe=2, params={"namespace": "_semantic"}) or ${extract}(file_path, query="${SAMPLE_FILTER[artifact.detail]}"). Recipes are numbered from 1 in the order above.`;
}

import { vega } from "../csv/csv-data.js";
import { packageFile } from "../data/package-file.js";
import type { TaskOutput } from "../task.js";

function cldr(tool: string, description: string, path: string): TaskOutput {
  return { tool, description, load: () => packageFile(`cldr-core/${path}`) };
}

export const MOVIES: TaskOutput = vega("list_movies", "Returns films as JSON.", "movies.json");
export const BUDGET: TaskOutput = vega(
  "get_receipts",
  "Returns receipts of the federal budget by account, in thousands of dollars, one member a year.",
  "budget.json",
);
export const MATCHES: TaskOutput = vega(
  "list_matches",
  "Returns football matches with their scores as JSON.",
  "football.json",
);
export const PENGUINS: TaskOutput = vega(
  "list_penguins",
  "Returns measured penguins as JSON.",
  "penguins.json",
);
export const QUAKES: TaskOutput = vega(
  "list_earthquakes",
  "Returns a week of earthquakes as GeoJSON; coordinates are longitude, latitude, depth in km.",
  "earthquakes.json",
);
export const CHARACTERS: TaskOutput = vega(
  "get_character_graph",
  "Returns who appears with whom in a novel: nodes and links, which name nodes by index.",
  "miserables.json",
);
export const TERRITORIES: TaskOutput = cldr(
  "get_territories",
  "Returns territories by ISO code with population, GDP and languages.",
  "supplemental/territoryInfo.json",
);
export const CURRENCIES: TaskOutput = cldr(
  "get_currency_history",
  "Returns which currencies territories have used, and how currencies are rounded.",
  "supplemental/currencyData.json",
);
export const SCRIPTS: TaskOutput = cldr(
  "get_scripts",
  "Returns writing systems by their four-letter code.",
  "scriptMetadata.json",
);
export const WEEKS: TaskOutput = cldr(
  "get_week_rules",
  "Returns where weeks begin and end on which day, by ISO code of the territory.",
  "supplemental/weekData.json",
);
export const MEDIA_TYPES: TaskOutput = {
  tool: "get_media_types",
  description: "Returns media types with their file extensions.",
  load: () => packageFile("mime-db/db.json"),
};
export const LICENCES: TaskOutput = {
  tool: "list_licences",
  description: "Returns licences by their SPDX identifier.",
  load: () => packageFile("spdx-license-list/spdx.json"),
};
export const NODE_RELEASES: TaskOutput = {
  tool: "list_node_releases",
  description: "Returns releases of Node.js.",
  load: () => packageFile("node-releases/data/processed/envs.json"),
};

type Support = Readonly<Record<"http" | "browsers", object>>;

/** Two of its parts, in one line as an API returns them. */
function browserData(part: keyof Support): string {
  const data = JSON.parse(packageFile("@mdn/browser-compat-data/data.json")) as Support;
  return JSON.stringify(data[part]);
}

export const HTTP_SUPPORT: TaskOutput = {
  tool: "get_http_support",
  description: "Returns which browsers support which part of HTTP since which version.",
  load: () => browserData("http"),
};
export const BROWSERS: TaskOutput = {
  tool: "get_browsers",
  description: "Returns browsers and all their releases.",
  load: () => browserData("browsers"),
};

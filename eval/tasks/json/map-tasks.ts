import { topItems, topEntry, topKey } from "../data/reckon.js";
import { needing, type PracticeTask } from "../task.js";
import { LICENCES, MEDIA_TYPES, SCRIPTS, TERRITORIES } from "./json-data.js";

interface Territory {
  readonly _gdp: string;
  readonly _literacyPercent: string;
  readonly _population: string;
  readonly languagePopulation?: Readonly<
    Record<string, { readonly _populationPercent: string; readonly _officialStatus?: string }>
  >;
}

interface MediaType {
  readonly source?: string;
  readonly compressible?: boolean;
  readonly extensions?: readonly string[];
}

interface Licence {
  readonly name: string;
  readonly osiApproved: boolean;
}

interface Script {
  readonly rtl: string;
  readonly hasCase: string;
  readonly idUsage: string;
  readonly originCountry: string;
}

const territories = (): [string, Territory][] =>
  Object.entries(
    (
      JSON.parse(TERRITORIES.load()) as {
        readonly supplemental: { readonly territoryInfo: Readonly<Record<string, Territory>> };
      }
    ).supplemental.territoryInfo,
  );
const mediaTypes = (): [string, MediaType][] =>
  Object.entries(JSON.parse(MEDIA_TYPES.load()) as Record<string, MediaType>);
const licences = (): [string, Licence][] =>
  Object.entries(JSON.parse(LICENCES.load()) as Record<string, Licence>);
const scripts = (): [string, Script][] =>
  Object.entries(
    (JSON.parse(SCRIPTS.load()) as { scriptMetadata: Record<string, Script> }).scriptMetadata,
  );

/** Questions about maps whose keys are data. */
export const MAP_TASKS: readonly PracticeTask[] = [
  {
    id: "map-french",
    kind: "map",
    outputs: [needing(TERRITORIES, "languagePopulation", "_officialStatus")],
    question:
      "In how many territories has French (fr) the official status official, official_regional or de_facto_official?",
    form: "number",
    answer: () =>
      territories().filter(
        ([, { languagePopulation }]) => languagePopulation?.["fr"]?._officialStatus !== undefined,
      ).length,
  },
  {
    id: "map-rich-territories",
    kind: "map",
    outputs: [needing(TERRITORIES, "_gdp", "_population")],
    question:
      "Which five territories of more than a million people have the highest GDP per head? Give their codes, highest first.",
    form: "list",
    answer: () =>
      topItems(
        territories().filter(([, { _population }]) => Number(_population) > 1e6),
        ([, { _gdp, _population }]) => Number(_gdp) / Number(_population),
        5,
      ).map(([code]) => code),
  },
  {
    id: "map-many-languages",
    kind: "map",
    outputs: [needing(TERRITORIES, "languagePopulation")],
    question:
      "Which territory lists the most languages, by its code, and how many? Answer [code, number].",
    form: "list",
    answer: () => {
      const counts = new Map(
        territories().map(([code, { languagePopulation = {} }]) => [
          code,
          Object.keys(languagePopulation).length,
        ]),
      );
      return topEntry(counts);
    },
  },
  {
    id: "map-media-extensions",
    kind: "map",
    outputs: [needing(MEDIA_TYPES, "extensions", "compressible", "source")],
    question:
      "Which media type has the most file extensions, and how many types are compressible with the source apache? Answer [type, number].",
    form: "list",
    answer: () => {
      const types = mediaTypes();
      const top = topKey(
        new Map(types.map(([type, { extensions = [] }]) => [type, extensions.length])),
      );
      const apache = types.filter(
        ([, { compressible, source }]) => compressible === true && source === "apache",
      );
      return [top, apache.length];
    },
  },
  {
    id: "map-licence-names",
    kind: "map",
    outputs: [needing(LICENCES, "name", "osiApproved")],
    question:
      "Which OSI-approved licences have the word European in their name? Give their SPDX identifiers.",
    form: "set",
    answer: () =>
      licences()
        .filter(([, { name, osiApproved }]) => osiApproved && /\bEuropean\b/.test(name))
        .map(([id]) => id),
  },
  {
    id: "map-scripts-rtl",
    kind: "map",
    outputs: [needing(SCRIPTS, "rtl", "hasCase")],
    question:
      "Which writing systems run from right to left and have upper and lower case? Give their codes.",
    form: "set",
    answer: () =>
      scripts()
        .filter(([, { rtl, hasCase }]) => rtl === "YES" && hasCase === "YES")
        .map(([code]) => code),
  },
];

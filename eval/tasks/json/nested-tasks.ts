import { median, sumBy, topItems, topEntry, topKey } from "../data/reckon.js";
import { needing, type PracticeTask } from "../task.js";
import { BROWSERS, HTTP_SUPPORT, QUAKES } from "./json-data.js";

interface Quake {
  readonly properties: {
    readonly mag: number | null;
    readonly place: string;
    readonly net: string;
    readonly felt: number | null;
  };
  readonly geometry: { readonly coordinates: readonly [number, number, number] };
}

interface Compat {
  readonly __compat?: {
    readonly status: { readonly deprecated: boolean };
    readonly support: Readonly<Record<string, unknown>>;
  };
}

interface Browser {
  readonly name: string;
  readonly releases: Readonly<
    Record<string, { readonly release_date?: string; readonly status: string }>
  >;
}

const quakes = (): readonly Quake[] =>
  (JSON.parse(QUAKES.load()) as { readonly features: readonly Quake[] }).features;
const headers = (): Readonly<Record<string, Compat>> =>
  (JSON.parse(HTTP_SUPPORT.load()) as { headers: Record<string, Compat> }).headers;
const browsers = (): Readonly<Record<string, Browser>> =>
  JSON.parse(BROWSERS.load()) as Record<string, Browser>;

/** Questions about objects within objects. */
export const NESTED_TASKS: readonly PracticeTask[] = [
  {
    id: "nested-strongest-quakes",
    kind: "nested",
    outputs: [needing(QUAKES, "properties.mag", "properties.place")],
    question:
      "Where were the three strongest events of the week? Give their places, strongest first.",
    form: "list",
    answer: () =>
      topItems(quakes(), ({ properties }) => properties.mag ?? 0, 3).map(
        ({ properties }) => properties.place,
      ),
  },
  {
    id: "nested-deep-network",
    kind: "nested",
    outputs: [needing(QUAKES, "properties.net", "geometry.coordinates")],
    question:
      "Of the networks (net) that reported at least 50 events of whatever type, which has the highest median depth, and how deep is it in km? Answer [network, depth].",
    form: "list",
    answer: () => {
      const counts = sumBy(quakes(), ({ properties }) => properties.net);
      const depths = new Map(
        [...counts]
          .filter(([, count]) => count >= 50)
          .map(([net]) => [
            net,
            median(
              quakes()
                .filter(({ properties }) => properties.net === net)
                .map(({ geometry }) => geometry.coordinates[2]),
            ),
          ]),
      );
      const top = topKey(depths);
      return [top, Math.round(100 * (depths.get(top) ?? 0)) / 100];
    },
  },
  {
    id: "nested-felt",
    kind: "nested",
    outputs: [needing(QUAKES, "properties.felt", "properties.mag")],
    question:
      "For how many events below magnitude 2, of whatever type, is felt given (not null), and what is its highest value among them? Answer [number, value].",
    form: "list",
    answer: () => {
      const felt = quakes().flatMap(({ properties: { mag, felt } }) =>
        mag !== null && mag < 2 && felt !== null ? [felt] : [],
      );
      return [felt.length, Math.max(...felt)];
    },
  },
  {
    id: "nested-deprecated-headers",
    kind: "nested",
    outputs: [needing(HTTP_SUPPORT, "headers", "__compat", "deprecated")],
    question:
      "How many HTTP headers (the members of headers themselves, not what is nested within them) are marked as deprecated?",
    form: "number",
    answer: () =>
      Object.values(headers()).filter(({ __compat }) => __compat?.status.deprecated === true)
        .length,
  },
  {
    id: "nested-browser-releases",
    kind: "nested",
    outputs: [needing(BROWSERS, "releases", "release_date", "name")],
    question:
      "Which browser had the most releases with a release date in the year 2020, by its name? Answer [name, number of releases].",
    form: "list",
    answer: () => {
      const counts = new Map(
        Object.values(browsers()).map(({ name, releases }) => [
          name,
          Object.values(releases).filter(({ release_date = "" }) => release_date.startsWith("2020"))
            .length,
        ]),
      );
      return topEntry(counts);
    },
  },
];

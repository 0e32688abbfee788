import { packageFile } from "../data/package-file.js";
import type { TaskOutput } from "../task.js";

export function vega(tool: string, description: string, file: string): TaskOutput {
  return { tool, description, load: () => packageFile(`vega-datasets/data/${file}`) };
}

export const BIRDSTRIKES: TaskOutput = vega(
  "list_bird_strikes",
  "Returns the bird strikes of the FAA's database as CSV.",
  "birdstrikes.csv",
);
export const AIRPORTS: TaskOutput = vega(
  "list_airports",
  "Returns the airports of the United States as CSV.",
  "airports.csv",
);
export const EMPLOYMENT: TaskOutput = vega(
  "get_employment",
  "Returns monthly employment by sector, in thousands of people, as CSV.",
  "us-employment.csv",
);
export const DISASTERS: TaskOutput = vega(
  "get_disaster_deaths",
  "Returns deaths by natural disasters a year as CSV.",
  "disasters.csv",
);
export const SEATTLE: TaskOutput = vega(
  "get_seattle_weather",
  "Returns daily weather of Seattle as CSV.",
  "seattle-weather.csv",
);
export const STOCKS: TaskOutput = vega(
  "get_stock_prices",
  "Returns monthly prices of five stocks as CSV.",
  "stocks.csv",
);
export const ZIP_CODES: TaskOutput = vega(
  "list_zip_codes",
  "Returns the ZIP codes of the United States as CSV.",
  "zipcodes.csv",
);
export const ELEMENTS: TaskOutput = {
  tool: "list_elements",
  description: "Returns the chemical elements as CSV.",
  load: () => packageFile("periodic-table/data.csv"),
};

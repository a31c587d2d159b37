// What the programs of this folder share: the settings that they get, and how they report.

import { readFileSync } from "node:fs";

export const { RETINUE_URL: URL, RETINUE_API_KEY: KEY, RETINUE_MODEL: MODEL, RETINUE_AGENT: AGENT } = process.env;

// A red image of one pixel.
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

// Returns a message that makes the scripted model call a tool.
export const call = (name, given) => `[[tool:${name} ${JSON.stringify(given)}]]`;

export function equal(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
  }
}

export function has(text, part) {
  if (!String(text).includes(part)) throw new Error(`${part} is not in ${text}`);
}

// Runs the cases, and prints a line for each: its name, a tab, and what went wrong, or nothing.
export async function report(packages, cases) {
  const versions = packages.map((name) => {
    const about = readFileSync(`${process.env.NODE_MODULES}/${name}/package.json`);
    return `${name} ${JSON.parse(about).version}`;
  });
  console.log(`versions\t${versions.join(", ")}`);
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run();
      console.log(`${name}\t`);
    } catch (error) {
      console.error(error);
      console.log(`${name}\t${error.name}: ${String(error.message).replaceAll(/\s+/g, " ").slice(0, 300)}`);
    }
  }
  process.exit(0);
}

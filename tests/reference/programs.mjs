// Runs the programs of the reference that standard input lists, and prints the requests that they send, as JSON.
import { text } from "node:stream/consumers";

import { Retinue } from "../../clients/typescript/src/index.js";

const AsyncFunction = (async () => {}).constructor;
console.log = () => {};

async function run({ program, variables, answer, type }) {
  let sent;
  const fetch = async (url, { method = "GET", headers, body } = {}) => {
    const content = typeof body === "string" ? JSON.parse(body) : body ? await body.text() : null;
    sent = { url, method, authorization: new Headers(headers).get("authorization"), content };
    return new Response(answer, { headers: { "Content-Type": type } });
  };
  const client = new Retinue({ apiKey: "key", baseUrl: "http://retinue.test", fetch });
  const given = { client, fetch, ...variables };
  await new AsyncFunction(...Object.keys(given), program)(...Object.values(given));
  return sent;
}

const programs = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await Promise.all(programs.map(run))));

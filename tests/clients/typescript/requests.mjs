// Calls the methods that standard input lists, and prints each request with the result, as JSON. Needs no server.
import { text } from "node:stream/consumers";

import { Retinue } from "../../../clients/typescript/src/index.js";

async function call({ method, args, status, answer }) {
  let sent;
  const client = new Retinue({
    apiKey: "k",
    baseUrl: "http://retinue.test/api/v1/",
    async fetch(url, { method, headers, body }) {
      sent = { url, method, headers: Object.fromEntries(headers), body: body ? JSON.parse(body) : null };
      return new Response(JSON.stringify(answer), { status });
    },
  });
  const path = method.split(".");
  const name = path.pop();
  const resource = path.reduce((outer, part) => outer[part], client);
  const result = await resource[name](...args);
  return { ...sent, result };
}

const calls = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await Promise.all(calls.map(call))));

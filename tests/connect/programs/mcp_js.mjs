// The client of `@modelcontextprotocol/sdk` (before 2026-07-28) and `@modelcontextprotocol/client`.

import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { equal, has, KEY, report, URL } from "./common.mjs";

const requestInit = { headers: { Authorization: `Bearer ${KEY}` } };
const cases = {};
for (const [name, MakeClient, Transport] of [
  ["@modelcontextprotocol/sdk", Client, StreamableHTTPClientTransport],
  ["@modelcontextprotocol/client", NewClient, NewTransport],
]) {
  const connect = async (query = "") => {
    const client = new MakeClient({ name: "check", version: "1.0.0" });
    await client.connect(new Transport(new globalThis.URL(`${URL}/mcp${query}`), { requestInit }));
    return client;
  };
  cases[`${name}: tools`] = async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    equal(tools.slice(0, 2).map((tool) => tool.name), ["tools_search", "tools_execute"]);
    const given = { text: "hello world", style: "title" };
    const wanted = { name: "tools_execute", arguments: { name: "text_convert_case", arguments: given } };
    has(JSON.stringify(await client.callTool(wanted)), "Hello World");
    await client.close();
  };
  cases[`${name}: chosen tools`] = async () => {
    const client = await connect("?tools=text_convert_case&agents=1");
    const { tools } = await client.listTools();
    equal(tools.map((tool) => tool.name).includes("text_convert_case"), true);
    const given = { text: "hello world", style: "title" };
    has(JSON.stringify(await client.callTool({ name: "text_convert_case", arguments: given })), "Hello World");
    equal((await client.callTool({ name: "text_convert_case", arguments: {} })).isError, true);
    await client.close();
  };
  cases[`${name}: resources and prompts`] = async () => {
    const client = await connect();
    equal(Array.isArray((await client.listResources()).resources), true);
    equal((await client.listPrompts()).prompts.length > 0, true);
    await client.close();
  };
}
await report(["@modelcontextprotocol/sdk", "@modelcontextprotocol/client"], cases);

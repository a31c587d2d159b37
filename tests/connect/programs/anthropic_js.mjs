// The examples of the package `@anthropic-ai/sdk`: messages, streams, tools, structured output, images, counts.

import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { z } from "zod";

import { AGENT, call, equal, has, KEY, MODEL, PIXEL, report, URL } from "./common.mjs";

const client = new Anthropic({ baseURL: URL, apiKey: KEY, maxRetries: 0 });
const weather = {
  name: "get_weather",
  description: "Get the weather of a city.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const base = { model: MODEL, max_tokens: 500 };
const user = (content) => [{ role: "user", content }];
const asked = call("get_weather", { city: "Oslo" });

await report(["@anthropic-ai/sdk"], {
  text: async () => {
    const answer = await client.messages.create({ ...base, system: "Be brief.", messages: user("Hello") });
    equal(answer.content, [{ type: "text", text: "You said: Hello" }]);
  },
  stream: async () => {
    const parts = [];
    const stream = client.messages.stream({ ...base, messages: user("Hello there") });
    stream.on("text", (text) => parts.push(text));
    equal(await stream.finalText(), "You said: Hello there");
    equal(parts.join(""), "You said: Hello there");
  },
  tools: async () => {
    const first = await client.messages.create({ ...base, messages: user(asked), tools: [weather] });
    const made = first.content.find((block) => block.type === "tool_use");
    equal([first.stop_reason, made.input], ["tool_use", { city: "Oslo" }]);
    const result = { type: "tool_result", tool_use_id: made.id, content: "It rains." };
    const messages = [...user(asked), { role: "assistant", content: first.content }, ...user([result])];
    has((await client.messages.create({ ...base, messages, tools: [weather] })).content[0].text, "It rains.");
  },
  "tool runner": async () => {
    const run = async ({ city }) => `It rains in ${city}.`;
    const tools = [{ ...weather, run, parse: (given) => given }];
    const last = await client.beta.messages.toolRunner({ ...base, messages: user(asked), tools });
    has(last.content[0].text, "It rains in Oslo.");
  },
  "structured output": async () => {
    const format = zodOutputFormat(z.object({ name: z.string(), people: z.number() }));
    const answer = await client.messages.parse({ ...base, messages: user("Which?"), output_config: { format } });
    equal(answer.parsed_output, { name: "Oslo", people: 1 });
  },
  images: async () => {
    const source = { type: "base64", media_type: "image/png", data: PIXEL };
    const messages = user([{ type: "image", source }, { type: "text", text: "What is it?" }]);
    equal((await client.messages.create({ ...base, messages })).content[0].text, "You sent: image_url");
  },
  "search results": async () => {
    const content = [{ type: "text", text: "The shop opens at nine." }];
    const result = { type: "search_result", source: "https://example.com", title: "Hours", content };
    const answer = await client.messages.create({ ...base, messages: user([result, { type: "text", text: "When?" }]) });
    has(answer.content[0].text, "The shop opens at nine.");
  },
  "models and counts": async () => {
    const names = [];
    for await (const model of client.models.list()) names.push(model.id);
    equal(names.includes(AGENT), true);
    equal((await client.models.retrieve(AGENT)).id, AGENT);
    equal((await client.messages.countTokens({ model: MODEL, messages: user("Hello") })).input_tokens > 0, true);
  },
  "an agent": async () => {
    has((await client.messages.create({ ...base, model: AGENT, messages: user("Hello") })).content[0].text, "Hello");
  },
});

// The examples of the package `openai`: completions, responses, streams, tools, structured output, images, files.

import OpenAI, { toFile } from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

import { AGENT, call, equal, has, KEY, MODEL, PIXEL, report, URL } from "./common.mjs";

const client = new OpenAI({ baseURL: `${URL}/v1`, apiKey: KEY, maxRetries: 0 });
const City = z.object({ name: z.string(), people: z.number() });
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const asked = call("get_weather", { city: "Oslo" });
const user = (content) => [{ role: "user", content }];
const chat = (options) => client.chat.completions.create({ model: MODEL, ...options });
const tool = { type: "function", function: { name: "get_weather", parameters } };

await report(["openai"], {
  "Chat Completions: text": async () => {
    const answer = await chat({ messages: [{ role: "developer", content: "Be brief." }, ...user("Hello")] });
    equal(answer.choices[0].message.content, "You said: Hello");
  },
  "Chat Completions: stream": async () => {
    let text = "";
    const options = { stream: true, stream_options: { include_usage: true } };
    for await (const chunk of await chat({ messages: user("Hello there"), ...options })) {
      text += chunk.choices[0]?.delta?.content ?? "";
    }
    equal(text, "You said: Hello there");
  },
  "Chat Completions: tools": async () => {
    const runner = client.chat.completions.runTools({
      model: MODEL,
      messages: user(asked),
      tools: [
        {
          type: "function",
          function: { ...tool.function, parse: JSON.parse, function: ({ city }) => `It rains in ${city}.` },
        },
      ],
    });
    has(await runner.finalContent(), "It rains in Oslo.");
  },
  "Chat Completions: streamed tools": async () => {
    const stream = client.chat.completions.stream({ model: MODEL, messages: user(asked), tools: [tool] });
    const { choices } = await stream.finalChatCompletion();
    equal(choices[0].message.tool_calls[0].function.arguments, '{"city": "Oslo"}');
    equal(choices[0].finish_reason, "tool_calls");
  },
  "Chat Completions: custom tools": async () => {
    const custom = { name: "run_sql", format: { type: "text" } };
    const messages = user(call("run_sql", { input: "select 1" }));
    const answer = await chat({ messages, tools: [{ type: "custom", custom }] });
    const [made] = answer.choices[0].message.tool_calls;
    equal([made.type, made.custom], ["custom", { name: "run_sql", input: "select 1" }]);
    const result = { role: "tool", tool_call_id: made.id, content: "one row" };
    const next = [...messages, answer.choices[0].message, result];
    const last = await chat({ messages: next, tools: [{ type: "custom", custom }] });
    has(last.choices[0].message.content, "one row");
  },
  "Chat Completions: structured output": async () => {
    const response_format = zodResponseFormat(City, "city");
    const answer = await client.chat.completions.parse({ model: MODEL, messages: user("Which?"), response_format });
    equal(answer.choices[0].message.parsed, { name: "Oslo", people: 1 });
  },
  "Chat Completions: images": async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const answer = await chat({ messages: user([{ type: "text", text: "What is it?" }, image]) });
    equal(answer.choices[0].message.content, "You sent: image_url");
  },
  "Responses: text": async () => {
    const answer = await client.responses.create({ model: MODEL, instructions: "Be brief.", input: "Hello" });
    equal(answer.output_text, "You said: Hello");
  },
  "Responses: stream": async () => {
    const stream = client.responses.stream({ model: MODEL, input: "Hello there" });
    const text = [];
    stream.on("response.output_text.delta", ({ delta }) => text.push(delta));
    equal((await stream.finalResponse()).output_text, "You said: Hello there");
    equal(text.join(""), "You said: Hello there");
  },
  "Responses: tools": async () => {
    const tools = [{ type: "function", name: "get_weather", parameters, strict: true }];
    const first = await client.responses.create({ model: MODEL, input: asked, tools });
    const made = first.output.find((item) => item.type === "function_call");
    const result = { type: "function_call_output", call_id: made.call_id, output: "It rains." };
    const next = { model: MODEL, previous_response_id: first.id, input: [result], tools };
    has((await client.responses.create(next)).output_text, "It rains.");
  },
  "Responses: custom tools, streamed": async () => {
    const tools = [{ type: "custom", name: "run_sql", format: { type: "text" } }];
    const stream = client.responses.stream({ model: MODEL, input: call("run_sql", { input: "select 1" }), tools });
    const { output } = await stream.finalResponse();
    equal([output[0].type, output[0].input], ["custom_tool_call", "select 1"]);
  },
  "Responses: structured output": async () => {
    const text = { format: zodTextFormat(City, "city") };
    const answer = await client.responses.parse({ model: MODEL, input: "Which?", text });
    equal(answer.output_parsed, { name: "Oslo", people: 1 });
  },
  "Responses: images": async () => {
    const image = { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" };
    const input = user([{ type: "input_text", text: "What is it?" }, image]);
    equal((await client.responses.create({ model: MODEL, input })).output_text, "You sent: image_url");
  },
  "Responses: background": async () => {
    let answer = await client.responses.create({ model: MODEL, input: "Hello", background: true });
    for (let tries = 0; tries < 100 && ["queued", "in_progress"].includes(answer.status); tries++) {
      await new Promise((done) => setTimeout(done, 100));
      answer = await client.responses.retrieve(answer.id);
    }
    equal(answer.output_text, "You said: Hello");
  },
  "models, embeddings, files": async () => {
    const names = [];
    for await (const model of client.models.list()) names.push(model.id);
    equal(names.includes(AGENT), true);
    const { data } = await client.embeddings.create({ model: "alfred-embedding", input: ["A dog."] });
    equal(data[0].embedding.length > 100, true);
    const file = await client.files.create({ file: await toFile(Buffer.from("Hi"), "a.txt"), purpose: "user_data" });
    equal(await (await client.files.content(file.id)).text(), "Hi");
  },
  "an agent": async () => {
    const answer = await client.responses.create({ model: AGENT, input: "Hello" });
    has(answer.output_text, "Hello");
  },
});

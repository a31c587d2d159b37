// The examples of the AI SDK (`ai`) with three providers: text, streams, tools, structured output and images.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";

import { AGENT, call, equal, has, KEY, MODEL, PIXEL, report, URL } from "./common.mjs";

const openai = createOpenAI({ baseURL: `${URL}/v1`, apiKey: KEY });
const anthropic = createAnthropic({ baseURL: `${URL}/v1`, apiKey: KEY });
const options = { name: "retinue", baseURL: `${URL}/v1`, apiKey: KEY, includeUsage: true };
const compatible = createOpenAICompatible({ ...options, supportsStructuredOutputs: true });
const models = {
  "@ai-sdk/openai, Responses": openai(MODEL),
  "@ai-sdk/openai, Chat Completions": openai.chat(MODEL),
  "@ai-sdk/openai-compatible": compatible(MODEL),
  "@ai-sdk/anthropic": anthropic(MODEL),
  "an agent": compatible(AGENT),
};
const City = z.object({ name: z.string(), people: z.number() });
const weather = tool({
  description: "Get the weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `It rains in ${city}.`,
});

const cases = {};
for (const [name, model] of Object.entries(models)) {
  cases[`${name}: text`] = async () => {
    const { text, usage } = await generateText({ model, instructions: "Be brief.", prompt: "Hello" });
    has(text, "You said: Hello");
    equal(usage.totalTokens > 0, true);
  };
  cases[`${name}: stream`] = async () => {
    let text = "";
    for await (const part of streamText({ model, prompt: "Hello there" }).textStream) text += part;
    has(text, "You said: Hello there");
  };
  cases[`${name}: tools`] = async () => {
    const prompt = call("weather", { city: "Oslo" });
    const { text } = await generateText({ model, tools: { weather }, stopWhen: isStepCount(5), prompt });
    has(text, "It rains in Oslo.");
  };
  cases[`${name}: streamed tools`] = async () => {
    const prompt = call("weather", { city: "Oslo" });
    const result = streamText({ model, tools: { weather }, toolChoice: "auto", stopWhen: isStepCount(5), prompt });
    has(await result.text, "It rains in Oslo.");
  };
  cases[`${name}: structured output`] = async () => {
    const { output } = await generateText({ model, output: Output.object({ schema: City }), prompt: "Which?" });
    equal(output, { name: "Oslo", people: 1 });
  };
  if (name !== "an agent") {
    cases[`${name}: images`] = async () => {
      const content = [{ type: "text", text: "What is it?" }, { type: "image", image: PIXEL, mediaType: "image/png" }];
      const { text } = await generateText({ model, messages: [{ role: "user", content }] });
      has(text, "You sent: image_url");
    };
  }
}
await report(["ai", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic"], cases);

// The client of `@ag-ui/client`, which checks each event.

import { HttpAgent } from "@ag-ui/client";

import { AGENT, call, equal, has, KEY, report, URL } from "./common.mjs";

const url = `${URL}/agui/${AGENT.replace("agent:", "")}`;
const weather = {
  name: "get_weather",
  description: "Get the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const agent = () => new HttpAgent({ url, headers: { Authorization: `Bearer ${KEY}` } });
const say = (to, content) => to.messages.push({ id: crypto.randomUUID(), role: "user", content });

await report(["@ag-ui/client"], {
  "text, and a second message": async () => {
    const iris = agent();
    say(iris, "Hello");
    const { newMessages } = await iris.runAgent();
    has(newMessages.at(-1).content, "Hello");
    say(iris, "Hello again");
    has((await iris.runAgent()).newMessages.at(-1).content, "Hello again");
  },
  "state of the front end": async () => {
    const iris = agent();
    iris.setState({ page: "start" });
    say(iris, "Hello");
    has((await iris.runAgent()).newMessages.at(-1).content, "Hello");
  },
  "a tool of the front end": async () => {
    const iris = agent();
    say(iris, call("get_weather", { city: "Oslo" }));
    const { newMessages } = await iris.runAgent({ tools: [weather] });
    const [asked] = newMessages.at(-1).toolCalls;
    equal([asked.function.name, JSON.parse(asked.function.arguments)], ["get_weather", { city: "Oslo" }]);
    iris.messages.push({ id: crypto.randomUUID(), role: "tool", toolCallId: asked.id, content: "rain" });
    const answer = (await iris.runAgent({ tools: [weather] })).newMessages;
    equal(answer.length, 1);
    has(answer[0].content, "rain");
  },
});

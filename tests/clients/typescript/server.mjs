// The client against a real server, whose model gives the answers that the test has prepared.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { NotFoundError, PermissionDeniedError, Retinue, ValidationError } from "../../../clients/typescript/src/index.js";

const { CUT_URL, READING_KEY, STORY, TOOL } = process.env;
const client = new Retinue();

async function collect(iterable) {
  const found = [];
  for await (const one of iterable) found.push(one);
  return found;
}

const textOf = (chunks) => chunks.filter(({ type }) => type === "text").map(({ content }) => content).join("");

// Streams first: the model answers in this order.
const [...chunks] = await collect(await client.chat.create({ message: "Tell a story.", tools: [], stream: true }));
const done = chunks.at(-1);
assert.deepEqual([textOf(chunks), done.type], [STORY, "done"]);
const reply = await client.chat.create({ message: "And then?", conversation_id: done.conversation_id, tools: [] });
assert.equal(reply.reply, "It ended.");
const messages = await collect(client.conversations.messages(done.conversation_id));
assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);

const scribe = await client.agents.create({ agent_name: "Scribe", agent_role: "generalist", skills: [TOOL] });
const run = await client.agents.execute(scribe.id, { message: "Tell a story.", tools: [], background: true });
const cut = new Retinue({ baseUrl: CUT_URL });
const watched = await cut.runs.watch(run.id);
assert.equal(textOf(await collect(watched)), STORY);
const ended = await client.runs.wait(run.id);
assert.deepEqual([ended.status, ended.reply], ["completed", STORY]);
assert.equal(textOf(await collect(await client.runs.watch(run.id))), STORY);

const steps = await collect(await client.agents.execute(scribe.id, { message: "How many hosts?", stream: true }));
assert.deepEqual([steps[0].type, steps[0].tool, steps.at(-1).type], ["tool_start", TOOL, "done"]);

// Records, lists and errors.
const agents = [scribe];
for (let number = 0; number < 4; number += 1) {
  agents.unshift(await client.agents.create({ agent_name: `Scout ${number}`, agent_role: "leader", task: "Look." }));
}
const ids = agents.map(({ id }) => id);
assert.deepEqual((await collect(client.agents.list({ per_page: 2 }))).map(({ id }) => id), ids);
const page = await client.agents.list({ per_page: 2 });
assert.deepEqual([page.data.length, page.total, page.total_pages], [2, 5, 3]);
assert.equal((await client.agents.update(ids[0], { task: null })).task, undefined);
const key = { idempotencyKey: `key of ${ids[0]}` };
const twice = [1, 2].map(() => client.agents.create({ agent_name: "Once", agent_role: "leader" }, key));
assert.equal(new Set((await Promise.all(twice)).map(({ id }) => id)).size, 1);
assert.equal((await client.agents.delete(ids[0])).deleted, true);
await assert.rejects(client.agents.retrieve(ids[0]), (error) => {
  assert.ok(error instanceof NotFoundError);
  assert.deepEqual([error.status, error.code], [404, "resource_not_found"]);
  return /^\S+$/.test(error.requestId);
});
await assert.rejects(client.agents.create({ agent_name: "", agent_role: "king" }), (error) => {
  assert.ok(error instanceof ValidationError);
  return error.message.includes("agent_role") && error.message.includes("agent_name");
});
await assert.rejects(new Retinue({ apiKey: READING_KEY }).agents.delete(ids[1]), PermissionDeniedError);

// Tools and files.
assert.ok((await client.tools.search("usable hosts of a subnet", { per_page: 5 })).data.some(({ name }) => name === TOOL));
assert.equal((await client.tools.execute(TOOL, { args: { cidr: "172.16.8.0/21" } })).result.usable_hosts, 2046);
const folder = await mkdtemp(join(tmpdir(), "retinue-"));
try {
  const path = join(folder, "größe 1.bin");
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
  await writeFile(path, content);
  const file = await client.files.upload(await openAsBlob(path), { name: "größe 1.bin", mediaType: "application/pdf" });
  assert.deepEqual([file.name, file.size, file.media_type], ["größe 1.bin", 300_000, "application/pdf"]);
  await writeFile(path, (await client.files.download(file.id)).body);
  assert.ok(content.equals(await readFile(path)));
} finally {
  await rm(folder, { recursive: true });
}
assert.match(await (await client.usage.export()).text(), /^date,/);
console.log("done");

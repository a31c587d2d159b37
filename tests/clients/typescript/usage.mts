// What the compiler must accept, and, after each @ts-expect-error, what it must refuse.
import Default, { APIError, NotFoundError, Retinue, webhooks } from "retinue-client";
import type { Agent, ChatChunk, Executed, Page, Run, Stream } from "retinue-client";

const client: Default = new Retinue({ apiKey: "ak_test_a_b", baseUrl: "http://127.0.0.1:8000", maxRetries: 2 });

export async function records(): Promise<void> {
  const agent: Agent = await client.agents.create(
    { agent_name: "Netwatch", agent_role: "specialist" },
    { idempotencyKey: "order-17", signal: new AbortController().signal, timeout: 1000 },
  );
  const role: "leader" | "specialist" | "generalist" | "reviewer" = agent.agent_role;
  await client.agents.update(agent.id, { task: null });
  // @ts-expect-error A required field is missing.
  await client.agents.create({ agent_name: role });
  // @ts-expect-error A role that does not exist.
  await client.agents.create({ agent_name: "Netwatch", agent_role: "king" });
  // @ts-expect-error A field that does not exist.
  await client.agents.create({ agent_name: "Netwatch", agent_role: "leader", nickname: "N" });
  // @ts-expect-error A read of a record takes no key.
  await client.agents.retrieve(agent.id, { idempotencyKey: "order-17" });
  // @ts-expect-error A record has no such field.
  agent.nickname;
}

export async function lists(): Promise<string[]> {
  const names: string[] = [];
  for await (const agent of client.agents.list({ per_page: 100 })) names.push(agent.agent_name);
  const page: Page<Agent> = await client.agents.list();
  const second: Page<Agent> = await client.agents.list().page(2);
  for await (const { data } of client.agents.list().pages()) names.push(data[0].agent_name);
  // @ts-expect-error A list is no array.
  client.agents.list().map;
  return [...names, String(page.total + second.total_pages)];
}

export async function streams(): Promise<void> {
  const stream: Stream<ChatChunk> = await client.chat.create({ message: "Hello.", stream: true });
  for await (const chunk of stream) {
    if (chunk.type === "text") chunk.content.trim();
    if (chunk.type === "done") chunk.conversation_id.trim();
    // @ts-expect-error Only chunks of some types have content.
    chunk.content;
  }
  const reply: string = (await client.chat.create({ message: "Hello." })).reply;
  const run: Run = await client.agents.execute(1, { message: reply, background: true });
  const answer: Executed | Run = await client.agents.execute(1, { message: reply });
  if ("reply" in answer && "tools_used" in answer) answer.tools_used.length;
  for await (const chunk of await client.runs.watch(run.id, { lastEventId: stream.lastEventId })) chunk.type;
  const status: "completed" | string = (await client.runs.wait(run.id)).status;
  status.trim();
}

export async function files(): Promise<string> {
  const file = await client.files.upload(new Blob(["a"]), { name: "a.txt", mediaType: "text/plain" });
  return (await client.files.download(file.id)).text();
}

export async function errors(): Promise<number> {
  try {
    await client.withOptions({ timeout: 5000, maxRetries: 0 }).agents.delete(1);
  } catch (error) {
    if (error instanceof NotFoundError) return error.status;
    if (error instanceof APIError) return error.retryAfter ?? 0;
  }
  return 0;
}

export async function deliveries(request: Request): Promise<string | number> {
  const event: webhooks.WebhookEvent = await webhooks.verify(await request.text(), request.headers, "whsec_…");
  if (event.event === "agent.completed") return event.data.reply;
  return event.event === "agent.created" ? event.data.agent_id : event.id;
}

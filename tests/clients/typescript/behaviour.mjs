// Retries, errors, streams and signatures, against a server that fails on request.
import assert from "node:assert/strict";
import { test } from "node:test";

import * as retinue from "../../../clients/typescript/src/index.js";
import { delayAfter, parseRetryAfter } from "../../../clients/typescript/src/retries.js";
import { EventReader } from "../../../clients/typescript/src/stream.js";
import { AGENT, HANG_UP, headers, refusal, scripted } from "./scripted.mjs";

const { Retinue, webhooks } = retinue;
const BUSY = refusal(429, "rate_limit_exceeded", "Too many requests.", { "Retry-After": "0" });
const AWAY = refusal(503, "service_unavailable", "The model is away.", { "Retry-After": "0" });
const NETWATCH = { agent_name: "Netwatch", agent_role: "leader" };
const EVENTS = { "Content-Type": "text/event-stream" };

function clientOf({ url }, options) {
  return new Retinue({ apiKey: "ak_test_a_b", baseUrl: url, maxRetries: 2, ...options });
}

async function collect(iterable) {
  const found = [];
  for await (const one of iterable) found.push(one);
  return found;
}

for (const [name, fault] of Object.entries({ "a broken connection": HANG_UP, 429: BUSY, 502: { status: 502 }, 503: AWAY })) {
  test(`a POST with a key is repeated with the same key after ${name}`, async (t) => {
    const server = await scripted(t, fault, AGENT);
    const agent = await clientOf(server).agents.create(NETWATCH);
    assert.deepEqual([agent.id, agent.new_field], [7, { a: [1] }]);
    const [first, second] = headers(server, "idempotency-key");
    assert.match(first, /^[0-9a-f]{32}$/);
    assert.equal(second, first);
    assert.deepEqual(server.requests.map(({ body }) => JSON.parse(body)), [NETWATCH, NETWATCH]);
  });

  test(`a POST without a key is ${fault === BUSY ? "" : "not "}repeated after ${name}`, async (t) => {
    for (const call of [
      (client) => client.keys.create({ name: "a key" }),
      (client) => client.chat.create({ message: "Hello.", stream: true }),
    ]) {
      const server = await scripted(t, fault, AGENT);
      const called = call(clientOf(server));
      await (fault === BUSY ? called : assert.rejects(called, retinue.RetinueError));
      assert.deepEqual(headers(server, "idempotency-key"), fault === BUSY ? [undefined, undefined] : [undefined]);
    }
  });
}

test("the caller's key is sent, and differs between calls without one", async (t) => {
  const server = await scripted(t, AGENT, AGENT, AGENT);
  const client = clientOf(server);
  await client.agents.create(NETWATCH, { idempotencyKey: "order-17" });
  await client.agents.create(NETWATCH);
  await client.agents.create(NETWATCH);
  assert.equal(new Set(headers(server, "idempotency-key")).size, 3);
  assert.equal(headers(server, "idempotency-key")[0], "order-17");
});

test("Retry-After is obeyed, unless it is long", async (t) => {
  const server = await scripted(
    t,
    refusal(429, "rate_limit_exceeded", "Too many requests.", { "Retry-After": "1" }),
    AGENT,
    refusal(429, "rate_limit_exceeded", "Used up.", { "Retry-After": "86400", "X-Request-ID": "req_1" }),
  );
  const began = performance.now();
  await clientOf(server).agents.retrieve(7);
  assert.ok(performance.now() - began >= 990);
  await assert.rejects(clientOf(server).agents.retrieve(7), (error) => {
    assert.ok(error instanceof retinue.RateLimitError);
    assert.deepEqual([error.retryAfter, error.requestId, error.status], [86400, "req_1", 429]);
    assert.deepEqual([error.name, error.code, error.message], ["RateLimitError", "rate_limit_exceeded", "Used up."]);
    return true;
  });
  assert.equal(server.requests.length, 3);
});

test("a response that asks for no retry is not repeated, and names its run", async (t) => {
  const final = { "x-should-retry": "false", "X-Run-Id": "17" };
  const server = await scripted(
    t,
    refusal(503, "service_unavailable", "The model is away.", final),
    refusal(409, "cancelled", "The run was stopped.", final),
  );
  for (const kind of [retinue.ServiceUnavailableError, retinue.RunCancelledError]) {
    await assert.rejects(clientOf(server).agents.execute(7, { message: "Hello." }), (error) => {
      assert.ok(error instanceof kind);
      assert.deepEqual([error.runId, error.shouldRetry], [17, false]);
      return true;
    });
  }
  assert.equal(server.requests.length, 2);
});

test("Retry-After may be a number or a date", () => {
  assert.equal(parseRetryAfter("17"), 17);
  assert.ok(Math.abs(parseRetryAfter(new Date(Date.now() + 100_000).toUTCString()) - 100) < 60);
  assert.equal(parseRetryAfter(new Date(0).toUTCString()), 0);
  assert.deepEqual([parseRetryAfter(null), parseRetryAfter("soon")], [null, null]);
});

test("delays are random and bounded", () => {
  for (let failures = 1; failures < 40; failures += 1) {
    const delay = delayAfter({}, failures);
    assert.ok(delay >= 0 && delay <= Math.min(8, 0.5 * 2 ** (failures - 1)));
  }
});

test("the last refusal is thrown, and the number of retries can be set", async (t) => {
  const server = await scripted(t, AWAY, AWAY, AWAY, AWAY, AWAY);
  const client = clientOf(server);
  await assert.rejects(client.agents.retrieve(7), retinue.ServiceUnavailableError);
  assert.equal(server.requests.length, 3);
  await assert.rejects(client.withOptions({ maxRetries: 0 }).agents.retrieve(7), retinue.ServiceUnavailableError);
  await assert.rejects(client.agents.retrieve(7, { maxRetries: 0 }), retinue.ServiceUnavailableError);
  assert.equal(server.requests.length, 5);
});

test("permanent errors are not retried", async (t) => {
  const server = await scripted(
    t,
    refusal(400, "validation_error", "No."),
    refusal(401, "auth_required", "No."),
    refusal(403, "insufficient_scope", "No."),
    refusal(404, "resource_not_found", "No."),
    refusal(418, "teapot", "No."),
    { status: 500, body: "<html>" },
    { status: 301, headers: { Location: "/elsewhere" } },
  );
  const thrown = [];
  for (let calls = 0; calls < 7; calls += 1) thrown.push(await clientOf(server).agents.retrieve(7).catch((error) => error));
  assert.deepEqual(thrown.map(({ name, status }) => [name, status]), [
    ["ValidationError", 400], ["AuthenticationError", 401], ["PermissionDeniedError", 403], ["NotFoundError", 404],
    ["APIError", 418], ["InternalServerError", 500], ["APIError", 301],
  ]);
  assert.equal(thrown[5].message, "The server responded with status 500.");
  assert.equal(server.requests.length, 7);
});

test("a POST without a key is repeated if no connection was made", async () => {
  for (const [code, attempts] of [["ECONNREFUSED", 2], ["ECONNRESET", 1]]) {
    let calls = 0;
    const fetch = async () => {
      calls += 1;
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("connect to it"), { code }) });
    };
    const client = new Retinue({ apiKey: "k", baseUrl: "http://retinue.test", maxRetries: 1, fetch });
    await assert.rejects(client.keys.create({ name: "a key" }), (error) => {
      assert.ok(error instanceof retinue.APIConnectionError);
      return error.message === "The connection to http://retinue.test failed: connect to it";
    });
    assert.equal(calls, attempts);
  }
});

test("a silent server is a timeout, and the caller may abort", async (t) => {
  const server = await scripted(t, { silent: true }, { silent: true }, { silent: true });
  let attempts = 0;
  const fetch = (...request) => {
    attempts += 1;
    return globalThis.fetch(...request);
  };
  await assert.rejects(clientOf(server, { fetch, timeout: 50, maxRetries: 1 }).agents.retrieve(7), retinue.APITimeoutError);
  assert.equal(attempts, 2);
  const controller = new AbortController();
  const waiting = clientOf(server).agents.retrieve(7, { signal: controller.signal });
  controller.abort(new Error("The page was closed."));
  await assert.rejects(waiting, { message: "The page was closed." });
  await assert.rejects(clientOf(server).agents.retrieve(7, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("an abort ends the wait before a retry", async (t) => {
  const server = await scripted(t, refusal(429, "rate_limit_exceeded", "Later.", { "Retry-After": "60" }));
  const controller = new AbortController();
  const fetch = async (...request) => {
    const response = await globalThis.fetch(...request);
    setTimeout(() => controller.abort(), 20);
    return response;
  };
  await assert.rejects(clientOf(server, { fetch }).agents.retrieve(7, { signal: controller.signal }), { name: "AbortError" });
  assert.equal(server.requests.length, 1);
});

test("responses of other servers are not trusted", async (t) => {
  const server = await scripted(t, { body: "<html>" }, { body: "[]" }, { body: "null" }, { body: '{"data": []}' });
  for (let calls = 0; calls < 3; calls += 1) {
    await assert.rejects(clientOf(server).agents.retrieve(7), /not that of a Retinue server/);
  }
  await assert.rejects(clientOf(server).agents.list().page(), /not that of a Retinue server/);
  assert.equal(server.requests.length, 4);
});

test("the options are checked, read from the environment, and the key is never shown", async (t) => {
  assert.throws(() => new Retinue(), /RETINUE_API_KEY/);
  assert.throws(() => new Retinue({ apiKey: "ak_live_\n" }), /not allowed in headers/);
  assert.throws(() => new Retinue({ apiKey: "k", baseUrl: "localhost:8000" }), /http/);
  const server = await scripted(t, refusal(401, "auth_required", "No."));
  Object.assign(process.env, { RETINUE_API_KEY: "ak_test_hidden_secret", RETINUE_URL: `${server.url}/api/v1/` });
  t.after(() => ["RETINUE_API_KEY", "RETINUE_URL"].forEach((name) => delete process.env[name]));
  const client = new Retinue();
  assert.equal(client.baseUrl, server.url);
  const error = await client.agents.retrieve(7).catch((thrown) => thrown);
  const { inspect } = await import("node:util");
  const shown = inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client) + inspect(error, { depth: 9 });
  assert.ok(!shown.includes("secret"));
  assert.deepEqual(headers(server, "authorization"), ["Bearer ak_test_hidden_secret"]);
  assert.match(headers(server, "user-agent")[0], /^retinue-client\/\d+\.\d+\.\d+ /);
});

test("an ID does not change the path", async (t) => {
  const server = await scripted(t, AGENT);
  const client = clientOf(server);
  for (const id of ["", ".", "..", undefined, null]) {
    await assert.rejects(async () => client.tools.retrieve(id), /empty or consists of dots/);
  }
  await client.conversations.delete("../agents?x=1");
  assert.equal(server.requests[0].url, "/api/v1/chat/..%2Fagents%3Fx%3D1");
});

test("lists of several pages", async (t) => {
  const page = (number, ...data) => ({ body: JSON.stringify({ data, meta: { total: 3, page: number, per_page: 2, total_pages: 2 } }) });
  const server = await scripted(t, page(1, 3, 2), page(2, 1), page(2, 1), page(1, 3, 2), page(1, 3, 2));
  const client = clientOf(server);
  assert.deepEqual(await collect(client.agents.list({ per_page: 2 })), [3, 2, 1]);
  assert.deepEqual(await collect(client.agents.list({ per_page: 2, page: 2 })), [1]);
  assert.deepEqual(await client.agents.list({ per_page: 2 }), { data: [3, 2], total: 3, page: 1, per_page: 2, total_pages: 2 });
  assert.deepEqual((await client.knowledge.search.create({ query: "?", collections: [1] })).data, [3, 2]);
  assert.deepEqual(server.requests.map(({ url }) => url.split("?")[1]), [
    "per_page=2&page=1", "per_page=2&page=2", "per_page=2&page=2", "per_page=2", undefined,
  ]);
});

test("an iteration drops the records that new ones shift to the next page", async (t) => {
  const page = (number, ...ids) => ({
    body: JSON.stringify({ data: ids.map((id) => ({ id })), meta: { total: 6, page: number, per_page: 3, total_pages: 3 } }),
  });
  const server = await scripted(t, page(1, 5, 4, 3), page(2, 4, 3, 2), page(3, 1));
  assert.deepEqual((await collect(clientOf(server).agents.list())).map(({ id }) => id), [5, 4, 3, 2, 1]);
});

const once = (id = "1-4") => `id: ${id}\ndata: {"type":"text","content":"Once"}\n\n`;
const DONE = "data: [DONE]\n\n";

/** The chunks of a stream whose connection breaks after each of the first `cuts`. */
async function cutting(server, stream, cuts, chunks = []) {
  for await (const chunk of stream) {
    chunks.push(chunk);
    if (chunks.length <= cuts) server.cut();
  }
  return chunks;
}

test("a chat that breaks says so", async (t) => {
  const half = `${once()}data: {"type":"te`;
  const server = await scripted(t, { headers: EVENTS, body: half, open: true }, { headers: EVENTS, body: half });
  for (const cuts of [1, 0]) {
    const chunks = [];
    const stream = await clientOf(server).chat.create({ message: "Hello.", stream: true });
    await assert.rejects(cutting(server, stream, cuts, chunks), retinue.APIConnectionError);
    assert.deepEqual(chunks, [{ type: "text", content: "Once" }]);
  }
  assert.equal(server.requests.length, 2);
});

test("the stream of a run resumes where it broke", async (t) => {
  const server = await scripted(
    t,
    { headers: EVENTS, body: `${once("1-1")}data: {"type":"te`, open: true },
    { headers: EVENTS, body: once("1-2"), open: true },
    { headers: EVENTS, body: once("1-3") + DONE },
    { headers: EVENTS, body: once("1-1"), open: true },
    ...Array(4).fill(AWAY),
    { headers: EVENTS, body: once("1-2") + DONE },
  );
  const stream = await clientOf(server, { maxRetries: 1 }).runs.watch(7, { lastEventId: "1-0" });
  assert.equal((await cutting(server, stream, 2)).length, 3);
  assert.equal(stream.lastEventId, "1-3");
  assert.deepEqual(headers(server, "last-event-id"), ["1-0", "1-1", "1-2"]);
  const later = await clientOf(server, { maxRetries: 1 }).runs.watch(7);
  assert.equal((await cutting(server, later, 1)).length, 2);
  assert.deepEqual(headers(server, "last-event-id").slice(3), [undefined, ...Array(5).fill("1-1")]);
});

test("waiting and watching end after their timeout", async (t) => {
  const server = await scripted(t, ...Array(2).fill({ headers: EVENTS, body: once(), open: true }));
  const client = clientOf(server);
  const late = { name: "APITimeoutError", message: "It did not end within 200 ms." };
  await assert.rejects(client.runs.wait(7, { timeout: 200 }), late);
  await assert.rejects(async () => collect(await client.runs.watch(7, { timeout: 200 })), late);
  await assert.rejects(
    clientOf({ url: "http://127.0.0.1:9" }).runs.wait(7, { timeout: 200 }),
    retinue.APIConnectionError,
  );
});

test("a failed run throws its error, and waiting for it does not", async (t) => {
  const failed = `${once()}data: {"type":"error","code":"service_unavailable","message":"Restarting.","status":503}\n\n`;
  const record = (status) => ({ body: JSON.stringify({ data: { id: 7, status } }) });
  const server = await scripted(
    t,
    { headers: EVENTS, body: failed },
    { headers: EVENTS, body: failed }, record("running"), { headers: EVENTS, body: DONE }, record("failed"),
    { headers: EVENTS, body: once() }, refusal(500, "internal_error", "Broken."),
  );
  const client = clientOf(server);
  const stream = await client.runs.watch(7);
  await assert.rejects(collect(stream), { name: "ServiceUnavailableError", status: 503, message: "Restarting." });
  assert.ok(stream.failed);
  assert.equal((await client.runs.wait(7)).status, "failed");
  await assert.rejects(client.runs.wait(7), { name: "InternalServerError", message: "Broken." });
  assert.deepEqual(headers(server, "last-event-id").filter(Boolean), ["1-4", "1-4"]);
});

test("a stream ends if the reader leaves, closes it, aborts, or hears nothing", async (t) => {
  const server = await scripted(t, ...Array(4).fill({ headers: EVENTS, body: once() + once(), open: true }));
  const client = clientOf(server, { maxRetries: 0 });
  const ask = (options) => client.chat.create({ message: "Hello.", stream: true }, options);
  for await (const chunk of await ask()) {
    assert.equal(chunk.content, "Once");
    break;
  }
  const closed = await ask();
  const chunks = closed[Symbol.asyncIterator]();
  await chunks.next();
  await chunks.next();
  const third = chunks.next();
  closed.close();
  assert.deepEqual(await third, { value: undefined, done: true });
  const controller = new AbortController();
  const aborted = collect(await ask({ signal: controller.signal }));
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  await assert.rejects(async () => collect(await ask({ timeout: 50 })), retinue.APITimeoutError);
  await server.allClosed();
});

test("events survive any cutting", () => {
  const sent = [{ type: "text", content: "größe\u2028 \u{1F600}" }, {}, { type: "text", content: "a\r\nb: c" }];
  for (const newline of ["\n", "\r\n"]) {
    const lines = [": open", "", ...sent.flatMap((chunk, n) => [`id: ${n}`, `data: ${JSON.stringify(chunk)}`, ""]), "data: [DONE]", "", ""];
    const bytes = new TextEncoder().encode(lines.join(newline));
    for (let size = 1; size < 40; size += 1) {
      const reader = new EventReader();
      const read = [];
      for (let at = 0; at < bytes.length; at += size) read.push(...reader.read(bytes.subarray(at, at + size)));
      assert.deepEqual([read, reader.complete, reader.lastId], [sent, true, "2"]);
    }
  }
});

test("an upload is sent as it is, again if need be", async (t) => {
  const file = { body: '{"data": {"id": "file_1"}}' };
  const server = await scripted(t, AWAY, file, file, file);
  const client = clientOf(server);
  await client.files.upload(new Blob(["ä"], { type: "text/plain" }), { name: "größe 1.txt" });
  await client.files.upload("text", { mediaType: "application/pdf", idempotencyKey: "k" });
  await client.files.upload(new File(["x"], "x.bin"));
  assert.deepEqual(server.requests.map(({ body }) => body), ["ä", "ä", "text", "x"]);
  assert.deepEqual(headers(server, "content-type"), [
    "text/plain", "text/plain", "application/pdf", "application/octet-stream",
  ]);
  assert.deepEqual(server.requests.map(({ url }) => new URLSearchParams(url.split("?")[1]).get("name")), [
    "größe 1.txt", "größe 1.txt", "file", "x.bin",
  ]);
  const keys = headers(server, "idempotency-key");
  assert.equal(keys[0], keys[1]);
  assert.equal(keys[2], "k");
});

test("deliveries are verified", async () => {
  const { body, headers: sent, secret, timestamp } = JSON.parse(process.env.DELIVERY);
  const now = timestamp;
  const ok = async (changes = {}) => webhooks.verify(changes.body ?? body, changes.headers ?? sent, changes.secret ?? secret, { now, ...changes });
  const refused = (changes) => assert.rejects(ok(changes), retinue.WebhookVerificationError, JSON.stringify(changes));
  const old = Object.fromEntries(Object.entries(sent).filter(([name]) => name.startsWith("X-")));
  const upper = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toUpperCase(), value]));
  const bytes = new TextEncoder().encode(body);
  for (const changes of [{}, { headers: new Headers(sent) }, { headers: upper }, { body: bytes }, { body: bytes.buffer }, { headers: old }]) {
    const event = await ok(changes);
    assert.deepEqual([event.event, event.data], ["agent.created", { agent_id: 1 }]);
  }
  await ok({ now: now + 300 });
  await ok({ now: now + 4 * 24 * 3600, headers: old });
  for (const changes of [
    { now: now + 301 }, { now: now - 301 }, { now: now + 6 * 24 * 3600, headers: old }, { body: `${body} ` }, { body: `${body} `, headers: old },
    { headers: {} }, { headers: { "X-Webhook-Signature": "sha256=" } }, { secret: "whsec_%%%" }, { secret: "whsec_AAAA" },
    { headers: old, secret: "whsec_AAAA" }, { headers: { ...sent, "webhook-id": "evt_2" } },
    { headers: { ...sent, "webhook-timestamp": String(timestamp + 1) } }, { headers: { ...sent, "webhook-timestamp": "soon" } },
    { headers: { ...sent, "webhook-signature": "" } }, { headers: { ...sent, "webhook-signature": "v1,ä v2,x" } },
  ]) await refused(changes);
  const others = JSON.parse(process.env.NO_EVENTS);
  for (const other of others) await refused(other);
});

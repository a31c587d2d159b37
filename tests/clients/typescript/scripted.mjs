// A server that gives its answers in turn, and keeps the requests.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

export const HANG_UP = Symbol("the connection ends");

/**
 * Returns a server of `answers`, with the URL and the requests. An `open` answer does not end: `cut` breaks the last
 * connection, and `allClosed` waits until the client has closed all. The server closes when the test has ended.
 */
export async function scripted(test, ...answers) {
  const requests = [];
  const closings = [];
  let cut;
  const server = createServer(async (request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers, body: await text(request) });
    closings.push(new Promise((resolve) => response.on("close", resolve)));
    const answer = answers.shift();
    if (answer === HANG_UP) return request.socket.destroy();
    if (answer.silent) return;
    response.writeHead(answer.status ?? 200, { Connection: "close", ...answer.headers });
    response.write(answer.body ?? "");
    cut = () => request.socket.destroy();
    if (!answer.open) response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const allClosed = () => Promise.all(closings);
  return { allClosed, cut: () => cut(), url: `http://127.0.0.1:${server.address().port}`, requests };
}

/** The values of a header, a request each. */
export function headers({ requests }, name) {
  return requests.map((request) => request.headers[name]);
}

export const AGENT = { body: '{"data": {"id": 7, "agent_name": "Netwatch", "new_field": {"a": [1]}}}' };

export function refusal(status, code, message, headers = {}) {
  return { status, headers, body: JSON.stringify({ error: { code, message, status } }) };
}

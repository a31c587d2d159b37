// Get JSON that fits a schema. Needs Node.js 20 or later, and no library.
//
//     node structured_output.mjs "I was charged twice in October."
//
// Reads RETINUE_URL and RETINUE_API_KEY.

const { RETINUE_URL = "http://127.0.0.1:8000", RETINUE_API_KEY } = process.env;

const ticket = {
  type: "object",
  properties: {
    category: { enum: ["billing", "bug", "how-to", "other"] },
    summary: { type: "string" },
    urgent: { type: "boolean" },
  },
  required: ["category", "summary", "urgent"],
  additionalProperties: false,
};

/** Send a request. Throws an error with the server's message. */
async function post(path, body) {
  const response = await fetch(`${RETINUE_URL}/api/v1${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${RETINUE_API_KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.data;
}

const message = process.argv[2] ?? "I was charged twice in October.";
const { output } = await post("/chat", {
  message: `Sort this message of a customer: ${message}`,
  tools: [],
  response_format: { type: "json_schema", schema: ticket },
});
console.log(`${output.category}${output.urgent ? " (urgent)" : ""}: ${output.summary}`);

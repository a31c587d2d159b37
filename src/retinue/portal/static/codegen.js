// The present request as a program.
const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
const json = (body) => JSON.stringify(body, null, 2);

function python(value, indent = "") {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((each) => python(each)).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = indent + "    ";
  const lines = Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${python(each, inner)},`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

export const PROGRAMS = {
  curl: (url, body) =>
    `curl -N ${url} \\\n  -H "Authorization: Bearer $RETINUE_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d ${quoted(json(body))}`,
  python: (url, body) =>
    `import json\nimport os\n\nimport requests\n\nresponse = requests.post(\n    "${url}",\n    headers={"Authorization": f"Bearer {os.environ['RETINUE_KEY']}"},\n    json=${python(body, "    ")},\n    stream=True,\n)\nresponse.raise_for_status()\nfor line in response.iter_lines():\n    if line.startswith(b"data: {"):\n        chunk = json.loads(line[6:])\n        if chunk["type"] == "text":\n            print(chunk["content"], end="", flush=True)`,
  javascript: (url, body) =>
    `const response = await fetch("${url}", {\n  method: "POST",\n  headers: {\n    "Authorization": \`Bearer \${process.env.RETINUE_KEY}\`,\n    "Content-Type": "application/json",\n  },\n  body: JSON.stringify(${json(body).replaceAll("\n", "\n  ")}),\n});\nif (!response.ok) throw new Error((await response.json()).error.message);\n\nlet rest = "";\nfor await (const part of response.body.pipeThrough(new TextDecoderStream())) {\n  const lines = (rest + part).split("\\n");\n  rest = lines.pop();\n  for (const line of lines) {\n    if (!line.startsWith("data: {")) continue;\n    const chunk = JSON.parse(line.slice(6));\n    if (chunk.type === "text") process.stdout.write(chunk.content);\n  }\n}`,
};

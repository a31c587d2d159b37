// Waits for a run whose server stops and starts again, and prints its reply and the text of its stream.
import { Retinue } from "../../../clients/typescript/src/index.js";

const client = new Retinue({ maxRetries: 1 });
const id = Number(process.env.RUN);

async function watch() {
  let text = "";
  for await (const chunk of await client.runs.watch(id)) text += chunk.type === "text" ? chunk.content : "";
  return text;
}

const [run, text] = await Promise.all([client.runs.wait(id), watch()]);
console.log(JSON.stringify([run.reply, text]));

// Published npm packages behind JSON lines: {tool, file, before, old, new | diff | patch} -> {out, ms}.
// out is null where the package refused; every refusal of these packages is an exception or a false.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as readline from "node:readline";
import { pathToFileURL } from "node:url";

const modules = process.argv[2];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "landing-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

const loaded = new Map();
function load(file) {
  if (!loaded.has(file)) loaded.set(file, import(pathToFileURL(path.join(modules, file)).href));
  return loaded.get(file);
}

// Runs the package on a real file, as it would be called by its agent, and reads the file back.
async function onFile(ask, edit) {
  const file = path.join(folder, "f" + path.extname(ask.file || ".txt"));
  fs.writeFileSync(file, ask.before);
  await edit(file);
  return fs.readFileSync(file, "utf8");
}

async function piEdit(ask) {
  const { createEditTool } = await load("@mariozechner/pi-coding-agent/dist/core/tools/edit.js");
  const edits = [{ oldText: ask.old, newText: ask.new }];
  return onFile(ask, (file) => createEditTool(folder).execute("1", { path: file, edits }));
}

async function clineEditor(ask) {
  const { createEditorExecutor } = await load("@cline/core/dist/index.js");
  return onFile(ask, (file) =>
    createEditorExecutor()({ path: path.basename(file), old_text: ask.old, new_text: ask.new }, folder, {}));
}

async function clinePatch(ask) {
  const { createApplyPatchExecutor } = await load("@cline/core/dist/index.js");
  return onFile(ask, (file) =>
    createApplyPatchExecutor()({ input: ask.patch.replaceAll("@@FILE@@", path.basename(file)) }, folder, {}));
}

// Gemini's edit tool around calculateReplacement, without its second try by a model: the text is handled with LF and
// gets its CR LF back, and more or less than one occurrence is an error.
async function geminiEdit(ask) {
  const tool = await load("@google/gemini-cli-core/dist/src/tools/edit.js");
  const params = { file_path: "f", old_string: ask.old, new_string: ask.new };
  const crlf = ask.before.includes("\r\n");
  const found = await tool.calculateReplacement(quietConfig, {
    params,
    currentContent: ask.before.replace(/\r\n/g, "\n"),
    abortSignal: new AbortController().signal,
  });
  if (tool.getErrorReplaceResult(params, found.occurrences, found.finalOldString, found.finalNewString)) return null;
  return crlf ? found.newContent.replace(/\r?\n/g, "\r\n") : found.newContent;
}
const quietConfig = {
  getUsageStatisticsEnabled: () => false,
  getTelemetryEnabled: () => false,
  getSessionId: () => "bench",
};

async function jsdiff(ask) {
  const { applyPatch } = await load("diff/libesm/index.js");
  const out = applyPatch(ask.before, ask.diff ?? "", { fuzzFactor: 2 });
  return out === false ? null : out;
}

const tools = { piEdit, clineEditor, clinePatch, geminiEdit, jsdiff };

for await (const line of readline.createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  const start = performance.now();
  let out = null;
  let refusal = null;
  try {
    out = await tools[ask.tool](ask);
  } catch (error) {
    refusal = String(error?.message ?? error).slice(0, 200);
  }
  process.stdout.write(JSON.stringify({ out, refusal, ms: performance.now() - start }) + "\n");
}
process.exit(0);

import { expect, test } from "vitest";
import { startPiJson, startPiRpc, type PiOptions, type Turn } from "./harness/index.ts";

const UNIFIED: Omit<PiOptions, "script"> = {
  extensions: ["dist/bash.js", "dist/tasks.js", "dist/unified.js"],
  env: { PICC_TOOL_SURFACE: "unified" },
  files: {
    "~/.pi/agent/agents/helper.md":
      "---\nname: helper\ndescription: Helps\nmodel: scripted/child\n---\nYou are the helper of the tests.\n",
  },
};

function agent(more: Record<string, unknown> = {}): Turn {
  return { tool: "task", args: { subagent_type: "helper", prompt: "Do it @now -x", title: "Helping", ...more } };
}

test("a foreground agent's report, usage or prompt is lost", async () => {
  const pi = await startPiJson({
    ...UNIFIED,
    script: {
      parent: [agent(), { text: "end" }],
      child: [{ tool: "task", args: { kind: "bash", script: "echo hi", timeout_secs: 5, display_name: "hi" } }, { text: "The *report*." }],
    },
  });
  await pi.finished();
  const results = pi.toolResults();
  console.log(results.map(r => [r.tool, r.text, r.isError]), pi.stderr);
  const child = pi.model.requests.filter((r) => r.modelId === "child");
  console.log(child[0]?.messages.map(m => m.text).at(-1), child[0]?.tools.map(t => t.name), child[0]?.messages[0]?.text.includes("helper of the tests"));
});

import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { taskCallRow } from "../../ui/task-tool-rows.ts";

/** The call in the conversation. Arguments may be incomplete while they stream in. */
export function renderTaskUpdateCall(args: Partial<Record<string, unknown>>, theme: Theme): Component {
  const id = typeof args["taskId"] === "string" ? `#${args["taskId"].replace(/^#/, "")}` : "";
  const status = typeof args["status"] === "string" ? ` ${args["status"]}` : "";
  const fields = Object.keys(args).filter((name) => name !== "taskId" && name !== "status");
  return taskCallRow("TaskUpdate", `${id}${status} ${fields.join(", ")}`, theme);
}

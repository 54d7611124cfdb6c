import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { taskCallRow } from "../../ui/task-tool-rows.ts";

/** The call in the conversation. Arguments may be incomplete while they stream in. */
export function renderTaskGetCall(args: Partial<Record<string, unknown>>, theme: Theme): Component {
  return taskCallRow("TaskGet", typeof args["taskId"] === "string" ? `#${args["taskId"]}` : "", theme);
}

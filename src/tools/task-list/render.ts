import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { taskCallRow } from "../../ui/task-tool-rows.ts";

/** The call in the conversation. */
export function renderTaskListCall(theme: Theme): Component {
  return taskCallRow("TaskList", "", theme);
}

import * as Type from "typebox";
import type { ArgumentShape } from "./argument-repair.ts";

export const taskListSchema = Type.Object({}, { additionalProperties: false });

export const taskListShape: ArgumentShape = { tool: "TaskList", fields: {} };

import * as Type from "typebox";
import type { ArgumentShape } from "./argument-repair.ts";

export const taskGetSchema = Type.Object(
  { taskId: Type.String({ description: "Id of the task, e.g. “3”" }) },
  { additionalProperties: false },
);

export type TaskGetArguments = Type.Static<typeof taskGetSchema>;

export const taskGetShape: ArgumentShape = {
  tool: "TaskGet",
  fields: { taskId: "id" },
  aliases: { id: "taskId" },
};

import * as Type from "typebox";
import type { ArgumentShape } from "./argument-repair.ts";
import { freeObject } from "./free-object.ts";

const ids = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
const text = (description: string) => Type.Optional(Type.String({ description }));

export const taskUpdateSchema = Type.Object(
  {
    taskId: Type.String({ description: "Id of the task, e.g. “3”" }),
    status: Type.Optional(
      Type.Enum(["pending", "in_progress", "completed", "deleted"], {
        type: "string",
        description: "New status. deleted removes the task; its id is not used again",
      }),
    ),
    subject: text("New title"),
    description: text("New description"),
    activeForm: text("New label while in progress; empty: none"),
    owner: text("Who works on it; empty: nobody"),
    addBlocks: ids("Ids of tasks that have to wait for this one"),
    addBlockedBy: ids("Ids of tasks that this one has to wait for"),
    metadata: Type.Optional(freeObject("Laid over the metadata that is there; null removes a key")),
  },
  { additionalProperties: false },
);

export type TaskUpdateArguments = Type.Static<typeof taskUpdateSchema>;

export const taskUpdateShape: ArgumentShape = {
  tool: "TaskUpdate",
  fields: {
    taskId: "id",
    status: "status",
    subject: "title",
    description: "text",
    activeForm: "text",
    owner: "text",
    addBlocks: "ids",
    addBlockedBy: "ids",
    metadata: "object",
  },
  aliases: { id: "taskId" },
  meant: {
    title: "subject",
    name: "subject",
    details: "description",
    state: "status",
    assignee: "owner",
    blocks: "addBlocks",
    blockedBy: "addBlockedBy",
    dependsOn: "addBlockedBy",
    dependencies: "addBlockedBy",
  },
};

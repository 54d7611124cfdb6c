import * as Type from "typebox";
import type { ArgumentShape } from "./argument-repair.ts";
import { freeObject } from "./free-object.ts";

export const taskCreateSchema = Type.Object(
  {
    subject: Type.String({ description: "Short title in the imperative, e.g. “Fix the login test”" }),
    description: Type.String({ description: "What has to be done, and how it is known to be done" }),
    activeForm: Type.Optional(
      Type.String({ description: "Label while in progress, e.g. “Fixing the login test”. Default: the subject" }),
    ),
    metadata: Type.Optional(freeObject("Free data kept with the task. _internal: true hides it from TaskList")),
  },
  { additionalProperties: false },
);

export type TaskCreateArguments = Type.Static<typeof taskCreateSchema>;

export const taskCreateShape: ArgumentShape = {
  tool: "TaskCreate",
  fields: { subject: "title", description: "text", activeForm: "text", metadata: "object" },
  meant: { title: "subject", name: "subject", content: "subject", details: "description", status: "TaskUpdate" },
};

// Parameters of the tools that older versions had.
import { Boolean, Number, Object, Optional, String, type TSchema } from "typebox";

export interface LegacyOutputArguments {
  task_id: string;
  filter?: string;
  block?: boolean;
  /** Milliseconds. */
  timeout?: number;
}

export const legacyOutputSchema: TSchema = Object(
  {
    task_id: String({ description: "ID of the task" }),
    filter: Optional(String({ description: "Regular expression; only lines that match" })),
    block: Optional(Boolean({ description: "Wait for new output or the end. Default false" })),
    timeout: Optional(Number({ description: "Longest wait in milliseconds", minimum: 0 })),
  },
  { additionalProperties: false },
);

export const legacyListSchema: TSchema = Object({}, { additionalProperties: false });

export const LEGACY_TERMINATE_NAME = "bash_background_terminate";

export interface LegacyTerminateArguments {
  task_id: string;
}

export const legacyTerminateSchema: TSchema = Object(
  { task_id: String({ description: "ID of the task" }) },
  { additionalProperties: false },
);

// What the bench and a host process say to each other.
import type { Captured, Finished, Started } from "./contestant.ts";
import type { Observation } from "./observation.ts";

export type ContestantName = "foreman" | "node-spawn" | "picc-bash";

/** Each job with what is asked and what is answered. */
export interface Jobs {
  /** Nobody runs two commands without a thought between them; the pause is not measured. */
  runForeground: { ask: { command: string; times: number; pauseMs: number }; answer: Finished[] };
  capture: { ask: { command: string; expectedBytes: number; capBytes?: number }; answer: Captured };
  /** All at once; the answer comes when the last one is complete. */
  captureAll: { ask: { commands: string[]; expectedBytes: number }; answer: { ms: number; paths: string[] } };
  start: { ask: { command: string }; answer: Started };
  stop: { ask: { id: string; graceMs: number }; answer: number };
  filter: { ask: { path: string; pattern: string }; answer: { ms: number; lines: number } | undefined };
  tail: { ask: { path: string; maxBytes: number }; answer: Finished | undefined };
  observe: { ask: { withLoopDelay: boolean }; answer: null };
  finishObservation: { ask: Record<string, never>; answer: Observation };
}

export type JobName = keyof Jobs;
export interface Ask<Name extends JobName = JobName> {
  number: number;
  job: Name;
  ask: Jobs[Name]["ask"];
}
export type Answer = { number: number } & ({ answer: unknown } | { error: string });

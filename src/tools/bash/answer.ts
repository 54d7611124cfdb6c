import { formatBashResult, type BashResultText } from "../../format/bash-result.ts";
import { formatDuration } from "../../format/duration.ts";
import { NO_FILE_NOTE } from "../../format/lost-output.ts";
import type { CaptureError, Snapshot, StopResult } from "../../native.ts";
import type { ForegroundAnswer, PromotionCause } from "../../runs/foreground.ts";
import { exitCodeOf, type Run } from "../../runs/run.ts";
import type { BashDetails } from "./details.ts";

/** What the answer of a foreground run says, before it is put into pi's shape. */
export interface BashAnswer extends BashResultText {
  details: BashDetails;
  isError: boolean;
  /** Lines of the text, behind the output, that its report as a task has to say as well. */
  notes: string[];
}

export interface AnswerFacts {
  run: Run;
  maxOutputChars: number;
  timeoutMs: number;
  /** The background was asked for by the run's own end: it left processes running. */
  leftBehind: boolean;
  /** False: TaskStop is kept from the model. */
  hasTaskStop: boolean;
}

type Exited = Extract<ForegroundAnswer, { kind: "exited" }>;

/** The answer to a command that has ended, on its own or by its timeout. */
export function describeExit(answer: Exited, facts: AnswerFacts): BashAnswer {
  const { run } = facts;
  const timedOut = answer.reason === "timeout";
  // Its exit is then a guess of the core: what a shell comes to whose supervisor is killed.
  const lost = answer.reason === "supervisor-lost";
  const exit = lost ? undefined : answer.exit;
  const exitCode = exitCodeOf(exit);
  const troubles = [...(lost ? [lostNote(run)] : []), ...survivorNotes(answer.result)];
  const text = write(answer.snapshot, facts, answer.captureError, {
    ...(timedOut && { timedOutAfterMs: facts.timeoutMs }),
    ...(exitCode !== undefined && { exitCode }),
    notes: [...troubles, ...(facts.leftBehind ? [leftoverNote(run)] : [])],
  });
  return {
    ...text,
    notes: [
      ...troubles,
      ...captureNotes(answer.captureError, text),
      ...(facts.leftBehind && run.outputPath === "" ? [NO_FILE_NOTE] : []),
    ],
    isError: timedOut || lost || exitCode !== 0,
    details: {
      ...(exitCode !== undefined && { exitCode }),
      ...(exit?.signal !== undefined && { signal: exit.signal }),
      ...(timedOut && { timedOut: true, timeoutMs: facts.timeoutMs }),
      ...(facts.leftBehind && { backgroundTaskId: run.id }),
      ...outputDetails(text, run, answer.captureError, facts.leftBehind),
    },
  };
}

/** The answer to a command that the user gave up. */
export function describeAbort(snapshot: Snapshot, facts: AnswerFacts): BashAnswer {
  const text = write(snapshot, facts, undefined, { aborted: true });
  return {
    ...text,
    notes: [],
    isError: true,
    details: { aborted: true, ...outputDetails(text, facts.run, undefined, false) },
  };
}

/** The answer to a command that goes on without its caller. */
export function describePromotion(cause: PromotionCause, snapshot: Snapshot, facts: AnswerFacts): BashAnswer {
  const { run } = facts;
  const text = write(snapshot, facts, undefined, {
    emptyText: "(no output so far)",
    notes: [
      `${promotionSubject(cause, facts.timeoutMs)} to the background with ID: ${run.id}. ${outputNote(run)}`,
      facts.hasTaskStop ? "It is still running. TaskStop with this ID stops it." : "It is still running.",
    ],
  });
  return {
    ...text,
    notes: run.outputPath === "" ? [NO_FILE_NOTE] : [],
    isError: false,
    details: {
      backgroundTaskId: run.id,
      ...(cause === "timeout" ? { timedOut: true, timeoutMs: facts.timeoutMs } : { interrupted: true }),
      ...outputDetails(text, run, undefined, true),
    },
  };
}

function promotionSubject(cause: PromotionCause, timeoutMs: number): string {
  switch (cause) {
    case "timeout":
      return `Command timed out after ${formatDuration(timeoutMs)} and was moved`;
    case "message":
      return "The user sent a message while the command ran, so it was moved";
    case "interrupt":
      return "Command was interrupted and moved";
    case "person":
      return "The user moved this command";
  }
}

function write(
  snapshot: Snapshot,
  facts: AnswerFacts,
  captureError: CaptureError | undefined,
  parts: Pick<
    Parameters<typeof formatBashResult>[0],
    "aborted" | "timedOutAfterMs" | "exitCode" | "notes" | "emptyText"
  >,
): BashResultText {
  const written = formatBashResult({
    stdout: snapshot.stdout,
    stderr: snapshot.stderr,
    maxOutputChars: facts.maxOutputChars,
    outputPath: facts.run.outputPath === "" ? "not available" : facts.run.outputPath,
    ...parts,
  });
  return { ...written, text: [written.text, ...captureNotes(captureError, written)].join("\n") };
}

/** A path that does not hold everything must not be offered without a word. */
function captureNotes(captureError: CaptureError | undefined, { truncation }: BashResultText): string[] {
  if (captureError === undefined || truncation === undefined) return [];
  const { code, path, bytesLost } = captureError;
  const missing = bytesLost > 0 ? `: ${bytesLost} bytes are missing there` : "";
  return [`<error>The full output could not be written to ${path} (${code})${missing}</error>`];
}

function leftoverNote(run: Run): string {
  return `Processes started by this command are still running with ID: ${run.id}. ${outputNote(run)}`;
}

/** Where the output of what goes on can be read. */
function outputNote({ outputPath }: Run): string {
  return outputPath === "" ? NO_FILE_NOTE : `Output is being written to: ${outputPath}`;
}

function lostNote(run: Run): string {
  const output = run.outputPath === "" ? "" : ` What it printed is in: ${run.outputPath}`;
  return `<error>The supervisor of this command was lost: how the command ended is not known.${output}</error>`;
}

function survivorNotes(result: StopResult | undefined): string[] {
  if (result?.state === "survivors") {
    const list = result.survivors.map(({ pid, command, why }) => `${pid} ${command} (${why})`).join(", ");
    return [`<error>${result.survivors.length} processes could not be ended: ${list}</error>`];
  }
  return result?.state === "unknown" ? [`<error>Whether everything has ended is not known: ${result.why}</error>`] : [];
}

function outputDetails(
  text: BashResultText,
  run: Run,
  captureError: CaptureError | undefined,
  stillGrows: boolean,
): Partial<BashDetails> {
  return {
    ...(text.truncation !== undefined && { truncation: text.truncation }),
    ...((text.truncation !== undefined || stillGrows) && run.outputPath !== "" && { fullOutputPath: run.outputPath }),
    ...(captureError !== undefined && { captureError }),
  };
}

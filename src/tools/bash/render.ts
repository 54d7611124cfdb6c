import type { Theme, ToolRenderResultOptions } from "@earendil-works/pi-coding-agent";
import { resolveTimeoutMs } from "../../config.ts";
import { cleanText } from "../../format/clean-text.ts";
import { formatDuration, formatLimit } from "../../format/duration.ts";
import { formatSize } from "../../format/size.ts";
import { showControls } from "../../format/visible-controls.ts";
import type { BashArguments } from "../../schema/bash.ts";
import type { RenderContext } from "../../ui/render-context.ts";
import { reuseRows, type Rows } from "../../ui/rows.ts";
import { truncateToWidth, wrapTextWithAnsi } from "../../ui/terminal-text.ts";
import { hiddenLines } from "../../ui/tool-rows.ts";
import type { BashDetails } from "./details.ts";
import type { BashResult } from "./execute.ts";

const COLLAPSED_COMMAND_ROWS = 8;
const COLLAPSED_OUTPUT_ROWS = 5;
/** Nobody scrolls through more, and each row is laid out anew when the terminal is resized. */
const MAX_DRAWN_CHARS = 200_000;
const ELAPSED_UPDATE_MS = 1000;

/** What the row keeps between drawings. */
export interface BashRowState {
  startedAtMs?: number;
  endedAtMs?: number;
  ticking?: NodeJS.Timeout;
}

type Context = RenderContext<BashRowState>;

/** The row of a call: the command, its limit when one was given, what it is for. */
export function renderBashCall(
  args: Partial<BashArguments> | undefined,
  theme: Theme,
  context: Context,
  limits: Parameters<typeof resolveTimeoutMs>[1],
): Rows {
  tick(context);
  const { command: asked, timeout, run_in_background, description } = args ?? {};
  const draw = (width: number): string[] => {
    const command = typeof asked === "string" ? showCommand(asked) : "";
    const extras: string[] = [];
    if (typeof timeout === "number" && timeout > 0)
      extras.push(`(timeout ${formatLimit(resolveTimeoutMs(timeout, limits))})`);
    if (run_in_background === true) extras.push("(background)");
    if (typeof description === "string" && description !== "")
      extras.push(showControls(description).replaceAll("\n", " "));
    const title = command === "" ? theme.fg("toolOutput", "...") : theme.bold(command);
    const suffix = extras.length === 0 ? "" : theme.fg("muted", ` ${extras.join(" ")}`);
    const rows = wrapTextWithAnsi(theme.fg("toolTitle", `${theme.bold("$")} ${title}`) + suffix, width);
    if (context.expanded || rows.length <= COLLAPSED_COMMAND_ROWS) return rows;
    const hidden = rows.length - COLLAPSED_COMMAND_ROWS;
    const hint = hiddenLines(hidden, "more", context.keyHint("app.tools.expand", "to expand"), theme);
    return [...rows.slice(0, COLLAPSED_COMMAND_ROWS), truncateToWidth(hint, width)];
  };
  // Drawn anew each second while it runs: laying out a long script each time would be felt.
  const key = [asked, timeout, run_in_background, description, context.expanded];
  return reuseRows(context.lastComponent, draw, key);
}

function showCommand(command: string): string {
  const hidden = command.length - MAX_DRAWN_CHARS;
  return hidden <= 0
    ? showControls(command)
    : `${showControls(command.slice(0, MAX_DRAWN_CHARS))}… (${hidden} more characters)`;
}

/** The rows of a result, live or final: the end of the output (all of it when expanded), the facts, the time. */
export function renderBashResult(
  result: BashResult,
  options: ToolRenderResultOptions,
  theme: Theme,
  context: Context,
): Rows {
  tick(context, options.isPartial);
  const text = result.content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n")
    .slice(-MAX_DRAWN_CHARS);
  const output = cleanText(text).replaceAll("\t", "   ").trim();
  const details = result.details as BashDetails | undefined;
  return reuseRows(context.lastComponent, (width) => {
    const rows = output === "" ? [] : wrapTextWithAnsi(theme.fg("toolOutput", output), width);
    const shown = options.expanded ? rows : rows.slice(-COLLAPSED_OUTPUT_ROWS);
    const hidden = rows.length - shown.length;
    const drawn: string[] = [];
    if (hidden > 0) {
      const hint = hiddenLines(hidden, "earlier", context.keyHint("app.tools.expand", "to expand"), theme);
      drawn.push(truncateToWidth(hint, width));
    }
    drawn.push(...shown);
    const facts = describeFacts(details, options.isPartial, context);
    if (facts !== "") drawn.push("", ...wrapTextWithAnsi(theme.fg("muted", facts), width));
    return drawn.length === 0 ? [] : ["", ...drawn];
  });
}

function describeFacts(details: BashDetails | undefined, isPartial: boolean, context: Context): string {
  const facts: string[] = [];
  const { startedAtMs, endedAtMs } = context.state;
  if (isPartial) {
    if (startedAtMs !== undefined) facts.push(`Elapsed ${formatDuration(Date.now() - startedAtMs)}`);
  } else {
    const tookMs =
      details?.durationMs ??
      context.durationMs ??
      (startedAtMs === undefined ? undefined : (endedAtMs ?? Date.now()) - startedAtMs);
    if (tookMs !== undefined)
      facts.push(tookMs < 1000 ? `Took ${Math.round(tookMs)}ms` : `Took ${formatDuration(tookMs)}`);
  }
  const amount = isPartial ? details?.live : details?.truncation;
  if (amount !== undefined && amount.totalBytes > 0)
    facts.push(`${amount.totalLines} ${amount.totalLines === 1 ? "line" : "lines"}, ${formatSize(amount.totalBytes)}`);
  if (details?.truncation !== undefined && details.fullOutputPath !== undefined)
    facts.push(`Full output: ${details.fullOutputPath}`);
  if (details?.shell !== undefined) facts.push(`Shell: ${details.shell}`);
  if (details?.captureError !== undefined) facts.push(`Output file incomplete (${details.captureError.code})`);
  return showControls(facts.join(" · "));
}

/** Draws the elapsed time anew each second while the command runs. */
function tick(context: Context, isPartial = context.isPartial): void {
  const { state } = context;
  if (context.executionStarted && isPartial) {
    state.startedAtMs ??= Date.now();
    if (state.ticking === undefined) {
      state.ticking = setInterval(() => {
        try {
          context.invalidate();
        } catch {
          // The row is gone; an exception in a timer would end pi.
          clearInterval(state.ticking);
        }
      }, ELAPSED_UPDATE_MS);
      state.ticking.unref();
    }
  } else if (!isPartial && state.ticking !== undefined) {
    clearInterval(state.ticking);
    delete state.ticking;
    state.endedAtMs ??= Date.now();
  }
}

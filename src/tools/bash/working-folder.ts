import { statSync } from "node:fs";
import path from "node:path";
import { withSlashes } from "../../runs/output-paths.ts";

/**
 * Where commands run while pi's own folder is gone. The first turn that meets this gets errors that name the folder, so
 * that no command meant for it runs elsewhere unasked; from the next turn on commands run in the nearest folder above it
 * that exists, and each result says so. Without that a session could not even make its folder again.
 */
export class WorkingFolder {
  #missing: string | undefined;
  #told: string | undefined;

  /** The folder for a call that asks for `wanted`: that one, unless the model knows that it is gone. */
  resolve(wanted: string): string {
    if (isFolder(wanted)) {
      this.#missing = this.#told = undefined;
      return wanted;
    }
    this.#missing = wanted;
    return this.#told === wanted ? nearestFolder(wanted) : wanted;
  }

  /** The model reads the results of a turn: what they named is known from now on. */
  endTurn(): void {
    this.#told = this.#missing;
  }
}

/** Said with the result of a command that did not run where it was meant to; undefined when it did. */
export function folderNote(wanted: string, used: string): string | undefined {
  if (wanted === used) return undefined;
  return `The working directory ${withSlashes(wanted)} does not exist; the command ran in ${withSlashes(used)}`;
}

/** Said with the error of the first turn. */
export function nextFolderNote(wanted: string): string {
  return `Until it is there again, the next commands run in ${withSlashes(nearestFolder(wanted))}`;
}

function nearestFolder(gone: string): string {
  let folder = path.dirname(gone);
  while (!isFolder(folder) && folder !== path.dirname(folder)) folder = path.dirname(folder);
  return folder;
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // Not to be entered, or a loop of links: no command can run there.
    return false;
  }
}

// Which list, and the folder name it gets.
import { createHash } from "node:crypto";

export interface ListChoice {
  id: string;
  /** Several processes may work on it. False: the list of this one session. */
  shared: boolean;
}

/** An explicit id, or the session's own list. */
export function chooseList(explicitId: string | undefined, sessionId: string): ListChoice {
  return explicitId === undefined ? { id: sessionId, shared: false } : { id: explicitId, shared: true };
}

/** Longest folder name made from an id; with the hash it stays far below the 255 bytes of common file systems. */
const MAX_NAME_CHARS = 100;

/** Names that Windows keeps for devices, with any extension. */
const DEVICE_NAME = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * The id as one path part that is safe on every system. An id that had to be changed gets a hash of itself appended, so
 * that `a/b` and `a:b` stay two lists.
 */
export function listFolderName(id: string): string {
  const safe = id
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^\.+/, "-")
    .replace(/\.+$/, "-")
    .replace(DEVICE_NAME, "$1-$2")
    .slice(0, MAX_NAME_CHARS);
  if (safe === id && id !== "") return id;
  return `${safe}-${createHash("sha256").update(id).digest("hex").slice(0, 12)}`;
}

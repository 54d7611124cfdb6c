// One sentence for the person about a file that was not as it should be.
import type { DiskCopy, DiskRead } from "./disk-copy.ts";
import { reasonOf } from "./errno.ts";

/** Puts a damaged file (or one with unreadable records) aside and says so. */
export async function setDamagedAside(disk: DiskCopy, read: DiskRead, warn: (message: string) => void): Promise<void> {
  const records = read.state === "read" ? read.badRecords : 0;
  if (read.state !== "damaged" && records === 0) return;
  const what =
    records > 0 ? `${records} record(s) in ${disk.file} could not be read` : `${disk.file} could not be read`;
  const aside = await disk.setAside(records > 0 ? "copy" : "move");
  const where =
    "path" in aside ? `it is kept as ${aside.path}` : `it could not be set aside (${reasonOf(aside.error)})`;
  warn(`Task list: ${what}; ${where}. ${records > 0 ? "The other records are used." : "The other copy is used."}`);
}

import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const RANDOM_CHARS = 8;
/** Largest multiple of 36 that a byte reaches; a byte from here on would favour the first letters. */
const FAIR_BYTE_LIMIT = 252;

/** A new id of a run, `^l[a-z0-9]{8}$`, from a cryptographic source without bias. `isTaken` names those in use. */
export function createRunId(
  isTaken: (id: string) => boolean,
  random: (size: number) => Uint8Array = randomBytes,
): string {
  for (;;) {
    let id = "l";
    while (id.length <= RANDOM_CHARS) {
      for (const byte of random(RANDOM_CHARS)) {
        if (byte < FAIR_BYTE_LIMIT && id.length <= RANDOM_CHARS) id += ALPHABET[byte % ALPHABET.length] ?? "";
      }
    }
    if (!isTaken(id)) return id;
  }
}

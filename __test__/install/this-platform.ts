// The platform that this machine's own build is for.
import path from "node:path";
import { loadNative } from "../../src/native.ts";

const native = loadNative();
if (!native.ok) throw new Error(native.message);

export const thisPlatform = path.basename(path.dirname(native.from));

import type { Bench } from "../bench.ts";
export const loadExtension: Bench = () => Promise.resolve([]);

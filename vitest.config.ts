import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["__test__/**/*.test.ts"],
    // Of the tests with pi, only this one was ever run on Windows (docs/platforms.md).
    exclude: [...configDefaults.exclude, ...(process.platform === "win32" ? ["__test__/pi/!(git-bash).test.ts"] : [])],
    // Real processes on a small machine: a bound that only a hang can reach.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});

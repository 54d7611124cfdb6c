// The tests that cannot hold where a system is emulated, each with the reason. They hold on the system itself.

/** By the kind of machine; names as the runner prints them: a path of modules in Rust, a title in TypeScript. */
export const GAPS = {
  "linux-x64-gnu": { core: {}, js: {} },
  "linux-x64-musl": {
    core: {},
    js: {
      "the loader's own words are hidden": "the words that it looks for are those of glibc",
      "the loader's own words about a damaged binary are hidden":
        "musl does not look at the part of the file that is damaged, and loads it",
    },
  },
  "linux-arm64-gnu": { core: {}, js: {} },
  "linux-arm64-musl": { core: {}, js: {} },
  "win32-x64-gnu": { core: {}, js: {} },
};

// The tests that cannot hold where a system is emulated, each with the reason. They hold on the system itself.

const NO_GIT = "there is no git on the machine";
const ONE_USER = "the machine has one user";
const SIGNAL_34 = "musl uses signal 34 itself, so its supervisor cannot refuse it";

const LINUX = {
  "environment::git_waits_for_a_person": NO_GIT,
  "survivors::a_process_of_another_user_is_called_stopped": ONE_USER,
};
const MUSL = {
  ...LINUX,
  "exits::a_command_that_kills_its_parent_ends_the_supervisor_or_the_host": SIGNAL_34,
};
const MUSL_JS = {
  "the loader's own words are hidden": "the words that it looks for are those of glibc",
  "the loader's own words about a damaged binary are hidden": "musl loads a file that glibc finds damaged",
};

/** By the kind of machine; names as the runner prints them: a path of modules in Rust, a title in TypeScript. */
export const GAPS = {
  "linux-x64-gnu": { core: LINUX, js: {} },
  "linux-x64-musl": { core: MUSL, js: MUSL_JS },
  "linux-arm64-gnu": { core: LINUX, js: {} },
  "linux-arm64-musl": { core: MUSL, js: MUSL_JS },
  "win32-x64-gnu": { core: {}, js: {} },
};

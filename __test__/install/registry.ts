// A registry on the loopback interface that has our packages, packed, and nothing else. What is published to it by a package
// manager is only written down.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { PackedPackage } from "./packed-packages.ts";

export class LocalRegistry implements AsyncDisposable {
  readonly #packages = new Map<string, PackedPackage[]>();
  /** Names and versions that were published over the network, in order. */
  readonly received: string[] = [];
  /** A name that is not to be published: the registry fails. */
  broken: string | undefined;
  readonly #server = createServer((request, response) => {
    if (request.method === "PUT") void this.#receive(request, response);
    else this.#answer(request, response);
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return this;
  }

  /** With a slash at its end, as package managers want it. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** What is published last is what its name alone means. */
  publish(packages: PackedPackage[]): void {
    for (const one of packages) {
      const name = one.manifest.name;
      this.#packages.set(name, [...(this.#packages.get(name) ?? []), one]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ url = "/" }: IncomingMessage, response: ServerResponse): void {
    const [name = "", , file] = decodeURIComponent(url.slice(1)).split("/");
    const versions = this.#packages.get(name) ?? [];
    const tarball = versions.find((one) => file === fileName(one));
    if (tarball !== undefined) response.end(readFileSync(tarball.tarball));
    else if (file === undefined && versions.length > 0) sendJson(response, 200, this.#document(name, versions));
    else sendJson(response, 404, { error: "not found" });
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { name, versions } = (await json(request)) as { name: string; versions: Record<string, unknown> };
    if (name === this.broken) {
      sendJson(response, 400, { error: "out of order" });
      return;
    }
    this.received.push(...Object.keys(versions).map((version) => `${name}@${version}`));
    sendJson(response, 201, { ok: true });
  }

  #document(name: string, versions: PackedPackage[]): unknown {
    return {
      name,
      "dist-tags": { latest: versions.at(-1)?.manifest.version },
      versions: Object.fromEntries(
        versions.map((one) => [
          one.manifest.version,
          { ...one.manifest, dist: { tarball: `${this.url}${name}/-/${fileName(one)}`, integrity: one.integrity } },
        ]),
      ),
    };
  }
}

function fileName({ manifest }: PackedPackage): string {
  return `${manifest.name}-${manifest.version}.tgz`;
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** A registry that has these. */
export async function startRegistry(packages: PackedPackage[]): Promise<LocalRegistry> {
  const registry = await new LocalRegistry().start();
  registry.publish(packages);
  return registry;
}

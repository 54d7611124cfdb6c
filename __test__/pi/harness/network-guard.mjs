// Preloaded into pi and every node below it: refuses whatever is not loopback, and writes down that it was tried.
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const logPath = process.env["PI_TEST_NETWORK_LOG"];

function isLoopback(host) {
  return (
    host === undefined || host === null || host === "" || host === "localhost" || host === "::1" || /^127\./.test(host)
  );
}

function refuse(what, host) {
  const line = JSON.stringify({ pid: process.pid, what, host: String(host) });
  if (logPath) appendFileSync(logPath, `${line}\n`);
  return Object.assign(new Error(`no network in tests: ${what} ${host}`), { code: "ENETUNREACH" });
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  // net.connect() hands over its arguments as one normalized array.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const options =
    typeof first === "object" && first !== null ? first : { host: typeof second === "string" ? second : undefined };
  if (typeof first === "string" && Number.isNaN(Number(first))) return connect.apply(this, args);
  if (options.path || isLoopback(options.host)) return connect.apply(this, args);
  const error = refuse("connect", options.host);
  process.nextTick(() => this.destroy(error));
  return this;
};

const send = dgram.Socket.prototype.send;
dgram.Socket.prototype.send = function (...args) {
  const host = args.find((arg, index) => index > 0 && typeof arg === "string");
  if (isLoopback(host)) return send.apply(this, args);
  throw refuse("send", host);
};

for (const name of Object.keys(dns).filter((name) => /^(lookup|resolve)/.test(name))) {
  const ask = dns[name];
  const askLater = dns.promises[name];
  dns[name] = (host, ...rest) => {
    if (isLoopback(host)) return ask(host, ...rest);
    const callback = rest.at(-1);
    const error = refuse(name, host);
    process.nextTick(() => callback(error));
  };
  if (askLater) {
    dns.promises[name] = async (host, ...rest) => {
      if (isLoopback(host)) return askLater(host, ...rest);
      throw refuse(name, host);
    };
  }
}
syncBuiltinESMExports();

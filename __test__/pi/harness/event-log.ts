// The events that pi has written, and waiting for the next one of a kind.
import type {
  JsonAgentSessionEvent,
  RpcExtensionUIRequest,
  RpcResponse,
  SessionHeader,
} from "@earendil-works/pi-coding-agent";
import { FAILURE_BOUND_MS, within } from "./bound.ts";

/** An extension threw, or a line of standard output was no JSON (which breaks every client of pi). */
interface ExtensionError {
  type: "extension_error";
  extensionPath: string;
  event: string;
  error: string;
}
interface BadLine {
  type: "bad_line";
  line: string;
}

export type PiEvent =
  JsonAgentSessionEvent | RpcResponse | RpcExtensionUIRequest | SessionHeader | ExtensionError | BadLine;
export type EventType = PiEvent["type"];
export type EventOf<T extends EventType> = Extract<PiEvent, { type: T }>;

interface Waiter {
  look: () => void;
  fail: (error: Error) => void;
}

export class EventLog {
  /** Everything so far, oldest first. */
  readonly events: PiEvent[] = [];
  readonly #waiters = new Set<Waiter>();
  /** Events before this index belong to waits that are over. */
  #cursor = 0;
  #ended: Error | undefined;

  add(event: PiEvent): void {
    this.events.push(event);
    for (const waiter of [...this.#waiters]) waiter.look();
  }

  /** No event comes any more: waits fail with this error unless what they want is already here. */
  end(reason: Error): void {
    this.#ended = reason;
    for (const waiter of [...this.#waiters]) waiter.fail(reason);
  }

  of<T extends EventType>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** The next such event after the one that the last `waitFor` gave; it may be here already. */
  async waitFor<T extends EventType>(
    type: T,
    where: (event: EventOf<T>) => boolean = () => true,
    boundMs = FAILURE_BOUND_MS,
  ): Promise<EventOf<T>> {
    const { event, index } = await this.#find(type, where, this.#cursor, boundMs);
    this.#cursor = Math.max(this.#cursor, index + 1);
    return event;
  }

  /** Any such event, earlier ones too; leaves alone what `waitFor` will find. */
  async find<T extends EventType>(
    type: T,
    where: (event: EventOf<T>) => boolean,
    boundMs = FAILURE_BOUND_MS,
  ): Promise<EventOf<T>> {
    return (await this.#find(type, where, 0, boundMs)).event;
  }

  async #find<T extends EventType>(
    type: T,
    where: (event: EventOf<T>) => boolean,
    from: number,
    boundMs: number,
  ): Promise<{ event: EventOf<T>; index: number }> {
    let next = from;
    let waiter: Waiter | undefined;
    const found = new Promise<{ event: EventOf<T>; index: number }>((resolve, reject) => {
      const look = () => {
        for (; next < this.events.length; next++) {
          const event = this.events[next];
          if (event === undefined || !isOf(event, type) || !where(event)) continue;
          resolve({ event, index: next });
          return;
        }
        if (this.#ended !== undefined) reject(this.#ended);
      };
      waiter = { look, fail: reject };
      this.#waiters.add(waiter);
      look();
    });
    try {
      return await within(found, boundMs, () => `no such ${type} event. Last events: ${this.#lastTypes()}`);
    } finally {
      if (waiter !== undefined) this.#waiters.delete(waiter);
    }
  }

  #lastTypes(): string {
    return this.events
      .slice(-12)
      .map((event) => event.type)
      .join(", ");
  }
}

function isOf<T extends EventType>(event: PiEvent, type: T): event is EventOf<T> {
  return event.type === type;
}

// What a host process notices of itself over a stretch of time.
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Observation {
  wallMs: number;
  /** CPU time of all threads, as a share of one core. */
  cpuShare: number;
  /** Growth of the most memory ever resident, in KiB. */
  peakGrowthKib: number;
  /** 99 of 100 timers of the event loop were no later than that; only when asked for, for measuring it costs CPU. */
  loopDelayP99Ms?: number;
}

export class Observer {
  readonly #start = performance.now();
  readonly #cpu = process.cpuUsage();
  readonly #residentKib = process.memoryUsage.rss() / 1024;
  readonly #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

  constructor(withLoopDelay: boolean) {
    if (withLoopDelay) {
      this.#delay = monitorEventLoopDelay({ resolution: 1 });
      this.#delay.enable();
    }
  }

  finish(): Observation {
    this.#delay?.disable();
    const wallMs = performance.now() - this.#start;
    const { user, system } = process.cpuUsage(this.#cpu);
    const peakKib = process.resourceUsage().maxRSS;
    return {
      wallMs,
      cpuShare: (user + system) / 1000 / wallMs,
      peakGrowthKib: Math.max(0, peakKib - this.#residentKib),
      ...(this.#delay ? { loopDelayP99Ms: this.#delay.percentile(99) / 1e6 } : {}),
    };
  }
}

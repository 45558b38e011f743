import type { ApiRequest } from '@hawser/apiserver';
import type { Clock } from '@hawser/clock';
import { type Config, run } from '@hawser/supervisor/source';
import { type Logger, noMetrics } from '@hawser/telemetry';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Dispatcher } from 'undici';
import type { Machine } from './machine.js';
import { ProcessClock } from './process-clock.js';
import type { SeededRandom } from './seeded-random.js';
import type { SimServer } from './sim-server.js';
import type { VirtualTime } from './virtual-time.js';

/** A request as the accounts record it. */
export interface SentRequest {
  readonly process: SimProcess;
  readonly cluster: SimServer;
  readonly request: ApiRequest;
  readonly sentAt: number;
}

export interface ProcessParts {
  readonly time: VirtualTime;
  readonly machine: Machine;
  readonly config: Config;
  readonly random: SeededRandom;
  readonly logger: (clock: Clock) => Logger;
  readonly dispatcher: (process: SimProcess, connection: ConnectionConfig) => Dispatcher;
  readonly ownConnection: (kubeconfig: string) => ConnectionConfig;
  /** Called at the sending of a request; its result is called when the server has handled it. */
  readonly onRequest: (sent: SentRequest) => (status: number) => void;
  /** It ended without a request to end. */
  readonly onCrash: (error: unknown) => void;
}

/**
 * A supervisor in a process of its own, as seen from outside: it shares only the network with others, and can be killed
 * at any point.
 */
export class SimProcess {
  readonly clock: ProcessClock;
  readonly machine: Machine;
  /** Number of its requests and watches under way. */
  open = 0;
  readonly #parts: ProcessParts;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  /** Dies with this request from now on; -1: never. */
  #requestsToLive = -1;
  #sendsTheLast = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    this.machine = parts.machine;
    this.clock = new ProcessClock(parts.time, parts.machine);
    const { config, random, machine } = parts;
    this.#ended = run(
      config,
      {
        clock: this.clock,
        random: random.next,
        logger: parts.logger(this.clock),
        metrics: noMetrics,
        version: 'v0.8.0',
        env: { POD_NAME: machine.name, POD_NAMESPACE: 'kube-system' },
        network: { dispatcher: (connection) => parts.dispatcher(this, connection), ownConnection: parts.ownConnection },
      },
      this.#stopping.signal,
    ).catch((error: unknown) => {
      if (!this.clock.dead) parts.onCrash(error);
    });
  }

  /** Ends it as SIGTERM does. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  /** Ends it like SIGKILL: at the request with that number from now on, which still goes out or not; 0 is at once. */
  kill(afterRequests = 0, sendsTheLast = false): void {
    if (afterRequests === 0) this.#die();
    this.#requestsToLive = afterRequests;
    this.#sendsTheLast = sendsTheLast;
  }

  sends(cluster: SimServer, request: ApiRequest): (status: number) => void {
    return this.#parts.onRequest({ process: this, cluster, request, sentAt: this.#parts.time.monotonic() });
  }

  /** Whether a request made now goes out; counts it. */
  mayStillSend(): boolean {
    if (this.clock.dead) return false;
    if (this.#requestsToLive < 0) return true;
    this.#requestsToLive--;
    if (this.#requestsToLive > 0) return true;
    this.#die();
    return this.#sendsTheLast;
  }

  /**
   * The kernel closes its connections; nothing is left of it. Its reactions have no effect: it has no time, and sends
   * nothing.
   */
  #die(): void {
    if (this.clock.dead) return;
    this.clock.kill();
    queueMicrotask(() => {
      this.#stopping.abort();
    });
  }
}

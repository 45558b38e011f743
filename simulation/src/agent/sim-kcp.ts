import type { ApiRequest } from '@hawser/apiserver';
import type { Random } from '@hawser/clock';
import { type Kcp, createKcp } from '@hawser/kcp';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Dispatcher } from 'undici';
import { DirectDispatcher } from '../direct-dispatcher.js';
import type { AnswerSink } from '../sim-cluster.js';
import type { SimServer } from '../sim-server.js';
import type { VirtualTime } from '../virtual-time.js';

export interface SimKcpOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly report: (error: unknown) => void;
}

/** kcp on virtual time, behind the same network as clusters. */
export class SimKcp implements SimServer {
  readonly name = 'kcp';
  readonly kcp: Kcp;
  readonly #time: VirtualTime;
  readonly #breakers = new Set<() => void>();
  #up = true;

  constructor({ time, random, report }: SimKcpOptions) {
    this.#time = time;
    this.kcp = createKcp({ clock: time, random, report, shards: ['root', 'west'] });
    this.kcp.setLocation({ url: 'https://kcp.test', authorityPem: '' });
  }

  get up(): boolean {
    return this.#up;
  }

  date(): string {
    return new Date(this.#time.now()).toUTCString();
  }

  /** Connection of its administrators and their programs to a workspace. */
  connection(workspace: string): ConnectionConfig {
    return {
      server: `https://kcp.test/clusters/${workspace}`,
      credentials: { kind: 'token', token: this.kcp.adminToken },
    };
  }

  /** Without a network. */
  readonly direct = (): Dispatcher => new DirectDispatcher(() => this.kcp);

  serve(request: ApiRequest, onBreak: () => void, sink: AnswerSink): () => void {
    let letGo = (): void => undefined;
    const breaker = (): void => {
      this.#breakers.delete(breaker);
      letGo();
      onBreak();
    };
    this.#breakers.add(breaker);
    const exchange = this.kcp.handle(request, {
      head: (status, headers) => {
        sink.head(status, headers as Readonly<Record<string, string>>);
      },
      data: (chunk) => {
        sink.data(chunk);
      },
      end: () => {
        this.#breakers.delete(breaker);
        sink.end();
      },
      fail: breaker,
    });
    letGo = () => {
      exchange.abort();
    };
    return () => {
      this.#breakers.delete(breaker);
      exchange.abort();
    };
  }

  /** Forgets all versions except the current ones. */
  compact(): void {
    this.kcp.compact();
  }

  /** Down for `downMs`; all connections are lost. */
  restart(downMs: number): void {
    this.#up = false;
    for (const breaker of [...this.#breakers]) breaker();
    this.#time.setTimeout(() => {
      this.#up = true;
    }, downMs);
  }
}

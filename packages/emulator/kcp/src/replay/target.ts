import type { JsonObject, JsonValue } from '@hawser/json';
import { Agent, request } from 'undici';
import { parsed } from '../testing/request.js';

/** A kcp that receives recorded requests. */
export interface Target {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** By the name in a recording; the administrator's under ''. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Time limit for kcp's own work. */
  readonly patienceMs: number;
  /** How long to check that nothing more happens. */
  readonly settleMs: number;
  /** Drops history: an earlier resourceVersion is then too old. */
  forget?(): void;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonValue;
  readonly contentType?: string;
  readonly as?: string;
}

/** Connections to a target; close them. */
export class TargetClient {
  readonly #target: Target;
  readonly #agent: Agent;

  constructor(target: Target) {
    this.#target = target;
    this.#agent = new Agent({ connect: { ca: target.authority } });
  }

  async send({
    method,
    path,
    body,
    contentType,
    as,
  }: Sent): Promise<{ readonly status: number; readonly body: JsonValue }> {
    const response = await request(`${this.#target.url}${path}`, {
      method: method as 'GET',
      dispatcher: this.#agent,
      headers: {
        ...this.#headers(as),
        ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: parsed(await response.body.text()) };
  }

  /** Resolves once the watch is established. */
  async watch({ path, as }: Sent): Promise<RunningWatch> {
    const response = await request(`${this.#target.url}${path}`, {
      dispatcher: this.#agent,
      headers: this.#headers(as),
      bodyTimeout: 0,
    });
    return new RunningWatch(response.statusCode, response.body);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #headers(as = ''): Record<string, string> {
    const token = as === 'nobody' ? 'wrong' : this.#target.tokens[as];
    return { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  }
}

/** A watch that runs until stopped. */
export class RunningWatch {
  readonly events: JsonObject[] = [];
  readonly #body: Awaited<ReturnType<typeof request>>['body'];

  constructor(
    readonly status: number,
    body: Awaited<ReturnType<typeof request>>['body'],
  ) {
    this.#body = body;
    let rest = '';
    body.setEncoding('utf8');
    body.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each !== '')) this.#take(parsed(line) as JsonObject);
    });
    body.on('error', () => undefined);
  }

  stop(): void {
    this.#body.destroy();
  }

  /** Periodic bookmarks are skipped; the one that ends the initial events counts. */
  #take(event: JsonObject): void {
    if (event['type'] !== 'BOOKMARK' || JSON.stringify(event['object'] ?? null).includes('k8s.io/initial-events-end'))
      this.events.push(event);
  }
}

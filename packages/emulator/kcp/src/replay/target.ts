import type { JsonObject, JsonValue } from '@hawser/json';
import { Agent, request } from 'undici';
import { parsed } from '../testing/request.js';

/** A kcp that recorded requests are made to. */
export interface Target {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** By the name in a recording; the administrator under ''. */
  readonly tokens: Readonly<Record<string, string>>;
  /** How long something that kcp does by itself may take. */
  readonly patienceMs: number;
  /** How long it is watched that nothing more happens. */
  readonly settleMs: number;
  /** Forgets the past, so that a resourceVersion from before is too old. */
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

  /** Resolves when the watch is open. */
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

/** A watch that goes on until it is stopped. */
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

  /** Bookmarks that come every minute tell nothing; the one at the end of what was there does. */
  #take(event: JsonObject): void {
    if (event['type'] !== 'BOOKMARK' || JSON.stringify(event['object'] ?? null).includes('k8s.io/initial-events-end'))
      this.events.push(event);
  }
}

import type { JsonObject } from '@hawser/json';
import { type Kcp, kcpAdministrator } from '../create-kcp.js';
import { parsed } from './request.js';

/** A watch on the direct transport; `events` collects its events. */
export interface Watching {
  readonly events: readonly JsonObject[];
  readonly state: { status: number; ended: boolean };
  stop(): void;
}

export function watch(kcp: Kcp, path: string): Watching {
  const events: JsonObject[] = [];
  const state = { status: 0, ended: false };
  let rest = '';
  const exchange = kcp.handle(
    { method: 'GET', path, headers: { accept: 'application/json' }, user: kcpAdministrator },
    {
      head: (status) => {
        state.status = status;
      },
      data: (chunk) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) events.push(parsed(line) as JsonObject);
      },
      end: () => {
        state.ended = true;
      },
      fail: () => {
        state.ended = true;
      },
    },
  );
  return {
    events,
    state,
    stop: () => {
      exchange.abort();
    },
  };
}

/** `ADDED one`, `DELETED two`. */
export const eventLines = ({ events }: Watching): readonly string[] =>
  events.map(({ type, object }) => {
    const { name } = ((object as JsonObject)['metadata'] ?? {}) as { readonly name?: string };
    const text = typeof type === 'string' ? type : '';
    return name === undefined ? text : `${text} ${name}`;
  });

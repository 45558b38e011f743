import { isObject, type JsonValue, parse } from '@hawser/json';
import { Answer, dig, textOf } from './answer.js';
import type { CaseWatch, WatchEvent } from './api.js';
import { withDeadline } from './deadline.js';
import type { Headers, ServerWatch } from './server.js';

const patienceMs = 5000;

/** A watch in a transcript; grows as events are taken. */
export interface WatchRecord {
  readonly status: number;
  readonly headers: Headers;
  readonly events: JsonValue[];
}

/** Reads the events of a watch; records taken ones in `record`. */
export function createCaseWatch(watch: ServerWatch, record: WatchRecord): CaseWatch {
  const next = async (): Promise<WatchEvent | undefined> => {
    for (;;) {
      const { value } = await withDeadline(watch.lines.next(), patienceMs, 'no event came in time');
      if (value === undefined) return undefined;
      const event = parse(value);
      if (isRoutineBookmark(event)) continue;
      record.events.push(event);
      return toEvent(event, watch);
    }
  };
  return {
    status: watch.status,
    async take(count) {
      const events: WatchEvent[] = [];
      while (events.length < count) {
        const event = await next();
        if (event === undefined) throw new Error(`the watch ended after ${events.length} events`);
        events.push(event);
      }
      return events;
    },
    async rest() {
      const events: WatchEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    },
    [Symbol.asyncDispose]() {
      watch.close();
      return Promise.resolve();
    },
  };
}

function toEvent(event: JsonValue, watch: ServerWatch): WatchEvent {
  // A refused watch answers with a Status instead of events.
  const wrapped = isObject(event) && typeof event['type'] === 'string' && isObject(event['object']);
  return wrapped
    ? { type: textOf(event['type']), object: new Answer(watch.status, watch.headers, event['object'] ?? null) }
    : { type: '', object: new Answer(watch.status, watch.headers, event) };
}

/** The server is free in its bookmarks; only the one that ends the initial events is guaranteed. */
function isRoutineBookmark(event: JsonValue): boolean {
  if (dig(event, ['type']) !== 'BOOKMARK') return false;
  return dig(event, ['object', 'metadata', 'annotations', 'k8s.io/initial-events-end']) === undefined;
}

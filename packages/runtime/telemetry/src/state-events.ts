import type { EventMessage, EventRecorder, ObjectReference } from './events.js';

/** Records an Event about a lasting state once, not at every look. */
export interface StateEvents {
  /** Records the event, unless it is the last one of this key. */
  record(key: string, regarding: ObjectReference, event: EventMessage): void;
  /** The state is over: if it returns, it is recorded again. */
  forget(key: string): void;
}

/** For controllers that look repeatedly at a state without a condition. Remembers recorded events for its lifetime. */
export function createStateEvents(events: EventRecorder): StateEvents {
  const last = new Map<string, string>();
  return {
    record(key, regarding, event) {
      const text = `${event.reason}\n${event.message}`;
      if (last.get(key) === text) return;
      last.set(key, text);
      events.record(regarding, event);
    },
    forget: (key) => {
      last.delete(key);
    },
  };
}

import type { EventMessage, EventRecorder, ObjectReference } from './events.js';

/** Tells of a lasting state once, not with every look at it. */
export interface Told {
  /** Records the event, unless it is the last one told of this key. */
  tell(key: string, regarding: ObjectReference, event: EventMessage): void;
  /** The state is over: if it comes back, it is told again. */
  forget(key: string): void;
}

/** For controllers that look again and again at a state for which there is no condition. What was told is remembered as long as this lives. */
export function createTold(events: EventRecorder): Told {
  const last = new Map<string, string>();
  return {
    tell(key, regarding, event) {
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

import type { Controller, ObjectChange, ServerHost } from '../parts.js';
import { Worklist } from './worklist.js';

/** A controller that turns changes into keys and works on these. */
export interface ObjectWork {
  readonly name: string;
  /** All existing keys, for the start. */
  readonly all: () => Iterable<string>;
  /** Keys affected by a change. */
  readonly concerned: (change: ObjectChange) => Iterable<string>;
  /** Reconciles one key. Retries if it throws. */
  readonly work: (key: string) => void;
}

export function objectController(host: ServerHost, { name, all, concerned, work }: ObjectWork): Controller {
  const worklist = new Worklist(host, work);
  let subscription: Disposable | undefined;
  return {
    name,
    start() {
      if (subscription !== undefined) return;
      subscription = host.objects.onChange((change) => {
        for (const key of concerned(change)) worklist.add(key);
      });
      for (const key of all()) worklist.add(key);
      worklist.start();
    },
    stop() {
      subscription?.[Symbol.dispose]();
      subscription = undefined;
      worklist.stop();
    },
  };
}

import type { Controller, ObjectChange, ServerHost } from '../parts.js';
import { Worklist } from './worklist.js';

/** A controller that looks at changes, and works on the keys that follow from them. */
export interface ObjectWork {
  readonly name: string;
  /** Keys of everything there is, for the start. */
  readonly all: () => Iterable<string>;
  /** Keys that a change concerns. */
  readonly concerned: (change: ObjectChange) => Iterable<string>;
  /** Brings one key in order. What it throws is tried again. */
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

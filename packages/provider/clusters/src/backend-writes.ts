import { type KubeObject, objectKey } from '@hawser/client';
import type { ControllerContext } from '@hawser/controller';
import { isFreshWrite } from './other-backend.js';

/** Records when another backend was seen to write. */
export interface BackendWrites {
  /** Milliseconds since the epoch; undefined: not in this episode. */
  readonly seenAt: number | undefined;
  /** Ends the episode, unless a write was seen after `seenAt`. */
  end(seenAt: number | undefined): void;
  /** Returns a handler that detects writes to objects of this resource. */
  handler(resource: string): {
    onAdd(object: KubeObject, initial: boolean): void;
    onUpdate(before: KubeObject, after: KubeObject): void;
  };
}

export interface BackendWritesOptions extends Pick<ControllerContext, 'clock'> {
  /** Called for each write. `isFirst`: it begins an episode. */
  readonly noticed: (resource: string, object: string, isFirst: boolean) => void;
}

export function createBackendWrites({ clock, noticed }: BackendWritesOptions): BackendWrites {
  let last: number | undefined;
  return {
    get seenAt() {
      return last;
    },
    end(seenAt) {
      if (last === seenAt) last = undefined;
    },
    handler(resource) {
      const look = (before: KubeObject | undefined, after: KubeObject): void => {
        if (!isFreshWrite(before, after)) return;
        const isFirst = last === undefined;
        last = clock.now();
        noticed(resource, objectKey(after), isFirst);
      };
      return {
        onAdd: (object, initial) => {
          if (!initial) look(undefined, object);
        },
        onUpdate: look,
      };
    },
  };
}

import { type KubeObject, objectKey } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';

import type { Reference } from './claim.js';
import { isNamed, namedKey } from './claimed-by.js';
import { type Named, namedBy } from './references.js';

/** Current names in the objects of one reference. */
export interface ReferenceWatch {
  readonly names: (namespace: string, name: string) => boolean;
  /** The cache of referring objects. */
  readonly informer: InformerHandle<KubeObject>;
  close(): void;
}

/** Watches referring objects. `changed` is called with names gained or lost as these objects come, change and go. */
export function watchReference(
  informers: SharedInformers,
  reference: Reference,
  changed: (named: readonly Named[]) => void,
): ReferenceWatch {
  const informer = informers.acquire<KubeObject>({ resource: reference.resource });
  const byObject = new Map<string, readonly Named[]>();
  const counts = new Map<string, number>();
  const count = (named: readonly Named[], by: 1 | -1): void => {
    for (const one of named) {
      const key = namedKey(one);
      const next = (counts.get(key) ?? 0) + by;
      if (next === 0) counts.delete(key);
      else counts.set(key, next);
    }
  };
  const set = (object: KubeObject, now: readonly Named[]): void => {
    const key = objectKey(object);
    const before = byObject.get(key) ?? [];
    if (before.length === 0 && now.length === 0) return;
    if (now.length === 0) byObject.delete(key);
    else byObject.set(key, now);
    count(before, -1);
    count(now, 1);
    const [then, since] = [new Set(before.map(namedKey)), new Set(now.map(namedKey))];
    const different = [
      ...now.filter((one) => !then.has(namedKey(one))),
      ...before.filter((one) => !since.has(namedKey(one))),
    ];
    if (different.length > 0) changed(different);
  };
  informer.addHandler({
    onAdd: (object) => {
      set(object, namedBy(object, reference));
    },
    onUpdate: (_, object) => {
      set(object, namedBy(object, reference));
    },
    onDelete: (object) => {
      set(object, []);
    },
  });
  return {
    names: (namespace, name) => isNamed((key) => counts.has(key), namespace, name),
    informer,
    close: () => {
      informer.release();
    },
  };
}

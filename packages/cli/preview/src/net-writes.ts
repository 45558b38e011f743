import { changesOf } from '@hawser/preview';

import { placeId } from './place.js';
import type { RehearsedWrite } from './rehearsal.js';

/**
 * What comes of the writes of an agent: several controllers share a status and an APIExport, and in how many writes they change it is a matter of time. The
 * writes for one object stay as they are, in their order.
 */
export function netWrites(writes: readonly RehearsedWrite[]): readonly RehearsedWrite[] {
  const shared = new Map<string, { readonly write: RehearsedWrite; readonly changes: number }>();
  for (const write of writes) {
    const id = idOf(write);
    if (id === undefined) continue;
    const first = shared.get(id);
    shared.set(id, {
      write: first === undefined ? write : { ...write, before: first.write.before },
      changes: (first?.changes ?? 0) + 1,
    });
  }
  return writes.flatMap((write) => {
    const id = idOf(write);
    if (id === undefined) return [write];
    const net = shared.get(id);
    // Where the first one was.
    shared.delete(id);
    return net === undefined || (net.changes > 1 && changesOf(net.write).length === 0) ? [] : [net.write];
  });
}

/** Undefined: not one that several controllers share. */
function idOf({ purpose, verb, side, resource, key, subresource }: RehearsedWrite): string | undefined {
  return purpose !== undefined || (verb !== 'patch' && verb !== 'update')
    ? undefined
    : [placeId(side), resource.group, resource.resource, subresource ?? '', key.namespace ?? '', key.name].join('|');
}

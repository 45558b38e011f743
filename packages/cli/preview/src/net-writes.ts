import type { RehearsedWrite } from './rehearsed-world.js';
import { changesOf } from './shown.js';

/**
 * Merges writes to objects that several controllers share: their number is a matter of timing. Writes with a purpose
 * stay as they are, in order. `nameOf`: the same text for the same side.
 */
export function netWrites<Side, Purpose>(
  writes: readonly RehearsedWrite<Side, Purpose>[],
  nameOf: (side: Side) => string,
): readonly RehearsedWrite<Side, Purpose>[] {
  const idOf = (write: RehearsedWrite<Side, Purpose>): string | undefined => sharedId(write, nameOf);
  const shared = new Map<string, { readonly write: RehearsedWrite<Side, Purpose>; readonly changes: number }>();
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
    // At the place of the first write.
    shared.delete(id);
    return net === undefined || (net.changes > 1 && changesOf(net.write).length === 0) ? [] : [net.write];
  });
}

/** Undefined: several controllers do not share it. */
function sharedId<Side, Purpose>(
  { purpose, verb, side, resource, key, subresource }: RehearsedWrite<Side, Purpose>,
  nameOf: (side: Side) => string,
): string | undefined {
  return purpose !== undefined || (verb !== 'patch' && verb !== 'update')
    ? undefined
    : [nameOf(side), resource.group, resource.resource, subresource ?? '', key.namespace ?? '', key.name].join('|');
}

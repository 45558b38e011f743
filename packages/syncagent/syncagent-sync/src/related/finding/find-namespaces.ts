import { resources } from '@hawser/syncagent-api';
import { type EntryContext, opposite, primaryOn, relatedError } from '../entry-context.js';
import { canBeName, canBeNamespace } from '../names.js';
import type { PrimaryPair, RelatedReaders } from '../primary-pair.js';
import type { Mechanism } from './mechanism.js';

/** Finds the namespaces of the originals, each with the namespace of its copies. @throws {RelatedError} */
export async function findNamespaces(
  mechanism: Mechanism | undefined,
  field: string,
  primary: PrimaryPair,
  readers: RelatedReaders,
  context: EntryContext,
): Promise<ReadonlyMap<string, string>> {
  if (mechanism === undefined) return ownNamespaces(field, primary, context);
  const pairs = await pairsOf(mechanism, primary, readers);
  for (const [origin, destination] of pairs) {
    // An invalid namespace name on the side of the originals contains nothing.
    if (canBeName(origin) && !canBeNamespace(destination))
      throw relatedError(
        context,
        'IllegalName',
        mechanism.field,
        `${JSON.stringify(destination)} cannot be the namespace of a copy`,
      );
  }
  return pairs;
}

async function pairsOf(
  mechanism: Mechanism,
  primary: PrimaryPair,
  readers: RelatedReaders,
): Promise<ReadonlyMap<string, string>> {
  switch (mechanism.kind) {
    case 'pairing':
      return mechanism.pair(primary);
    case 'selector': {
      const selection = mechanism.select(primary);
      if (selection.kind === 'nothing') return new Map();
      const namespaces = await readers.list(resources.namespaces, selection);
      return new Map(namespaces.map(({ metadata: { name } }) => [name, mechanism.rewrite(name, undefined, primary)]));
    }
  }
}

function ownNamespaces(field: string, primary: PrimaryPair, context: EntryContext): ReadonlyMap<string, string> {
  const [origin, destination] = [context.origin, opposite(context.origin)].map(
    (side) => primaryOn(primary, side).metadata.namespace ?? '',
  );
  if (origin === undefined || destination === undefined || origin === '' || destination === '') {
    throw relatedError(
      context,
      'NoNamespace',
      field,
      'must be set: the published object has no namespace of its own on one of the sides',
    );
  }
  return new Map([[origin, destination]]);
}

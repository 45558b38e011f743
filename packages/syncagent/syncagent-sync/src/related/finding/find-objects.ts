import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import { type EntryContext, relatedError } from '../entry-context.js';
import { canBeName } from '../names.js';
import type { PrimaryPair, RelatedReaders } from '../primary-pair.js';
import type { Mechanism } from './mechanism.js';

/** A related object, and the place of its copy. */
export interface ResolvedPair {
  readonly origin: {
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly object: UnstructuredObject;
  };
  readonly destination: ObjectKey;
}

/** Finds the originals in one namespace. Omits missing ones. @throws {RelatedError} */
export async function findObjects(
  mechanism: Mechanism,
  resource: Resource,
  [origin, destination]: readonly [origin: string, destination: string],
  primary: PrimaryPair,
  readers: RelatedReaders,
  context: EntryContext,
): Promise<readonly ResolvedPair[]> {
  const found = await namesOf(mechanism, resource, origin, primary, readers);
  return found.map(({ object, name }) => {
    if (!canBeName(name))
      throw relatedError(
        context,
        'IllegalName',
        mechanism.field,
        `${JSON.stringify(name)} cannot be the name of a copy`,
      );
    const { namespace, name: own } = object.metadata;
    return { origin: { namespace, name: own, object }, destination: { namespace: destination, name } };
  });
}

interface Found {
  readonly object: UnstructuredObject;
  /** Name of its copy. */
  readonly name: string;
}

async function namesOf(
  mechanism: Mechanism,
  resource: Resource,
  namespace: string,
  primary: PrimaryPair,
  readers: RelatedReaders,
): Promise<readonly Found[]> {
  switch (mechanism.kind) {
    case 'pairing': {
      // An invalid name, such as the `<no value>` of a template, names nothing.
      const pairs = [...mechanism.pair(primary)].filter(([origin]) => canBeName(origin) && canBeName(namespace));
      const objects = await Promise.all(pairs.map(([name]) => readers.get(resource, { namespace, name })));
      return objects.flatMap((object, index) =>
        object === undefined ? [] : [{ object, name: pairs[index]?.[1] ?? '' }],
      );
    }
    case 'selector': {
      const selection = mechanism.select(primary);
      if (selection.kind === 'nothing' || !canBeName(namespace)) return [];
      const objects = await readers.list(resource, { ...selection, namespace });
      return objects.map((object) => ({ object, name: mechanism.rewrite(object.metadata.name, object, primary) }));
    }
  }
}

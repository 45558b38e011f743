import type { CustomResourceDefinition } from '@hawser/crd';

/** A name that several publications want in one group of an export. kcp lets a workspace have it once. */
export interface Clash {
  readonly group: string;
  readonly field: 'plural' | 'singular' | 'kind' | 'listKind' | 'shortName';
  readonly name: string;
  /** Who wants it, in the order given. */
  readonly publications: readonly string[];
}

/** Names that several projected CRDs of one export want, by the names of their PublishedResources. */
export function findClashes(projected: ReadonlyMap<string, CustomResourceDefinition>): readonly Clash[] {
  const wanted = new Map<string, { clash: Omit<Clash, 'publications'>; publications: Set<string> }>();
  for (const [publication, { spec: { group, names } }] of projected) {
    const want = (field: Clash['field'], name: string | undefined): void => {
      if (name === undefined || name === '') return;
      // Plural, singular and short names are one space of names, kinds and their lists another.
      const space = field === 'kind' || field === 'listKind' ? 'kind' : 'resource';
      const key = `${group}\n${space}\n${name}`;
      const entry = wanted.get(key) ?? { clash: { group, field, name }, publications: new Set<string>() };
      entry.publications.add(publication);
      wanted.set(key, entry);
    };
    want('plural', names.plural);
    want('singular', names.singular);
    want('kind', names.kind);
    want('listKind', names.listKind);
    for (const name of names.shortNames ?? []) want('shortName', name);
  }
  return [...wanted.values()].filter(({ publications }) => publications.size > 1).map(({ clash, publications }) => ({ ...clash, publications: [...publications] }));
}

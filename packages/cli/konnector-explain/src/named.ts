import type { ResourceReport } from './report.js';

/** Whether a word that a person types means a resource, as kubectl understands it: kind, plural, singular, short name, or `databases.example.com`. */
export function isNamed({ name, names }: Pick<ResourceReport, 'name' | 'names'>, word: string): boolean {
  const wanted = word.toLowerCase();
  const known = [
    name,
    ...(names === undefined
      ? [name.split('.', 1)[0] ?? '']
      : [names.kind, names.plural, names.singular ?? '', ...(names.shortNames ?? [])]),
  ];
  return known.some((one) => one !== '' && one.toLowerCase() === wanted);
}

/** Whether a word means APIServiceBindings. */
export function isBindingWord(word: string): boolean {
  return ['apiservicebinding', 'apiservicebindings', 'apiservicebindings.kube-bind.io', 'binding', 'sb'].includes(
    word.toLowerCase(),
  );
}

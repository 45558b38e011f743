import type { BindingKind, ResourceReport } from './report.js';

/**
 * Whether a typed word means a resource, by kubectl's rules: kind, plural, singular, short name, or
 * `databases.example.com`.
 */
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

const KINDS = {
  APIServiceBinding: ['apiservicebinding', 'apiservicebindings', 'apiservicebindings.kube-bind.io', 'binding', 'sb'],
  Connection: ['connection', 'connections', 'connections.core.kbind.io'],
  ClusterBinding: ['clusterbinding', 'clusterbindings', 'clusterbindings.core.kbind.io', 'binding'],
  Binding: ['bindings', 'bindings.core.kbind.io', 'binding'],
} as const satisfies Record<BindingKind, readonly string[]>;

/** The kinds of bindings that a word means; empty: another meaning. */
export function bindingKinds(word: string): readonly BindingKind[] {
  const wanted = word.toLowerCase();
  return (Object.keys(KINDS) as BindingKind[]).filter((kind) => KINDS[kind].some((one) => one === wanted));
}

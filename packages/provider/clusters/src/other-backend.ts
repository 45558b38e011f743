import type { KubeObject } from '@hawser/client';

/** By this name the Go backend is known in managedFields: a client is called what its program file is called. */
const managers: ReadonlySet<string> = new Set(['backend', 'kube-bind-backend']);

/** When the Go backend last wrote an object; undefined if it never did. Equal texts: not since. */
export function backendWrite({ metadata }: KubeObject): string | undefined {
  return (
    metadata.managedFields
      ?.filter(({ manager }) => manager !== undefined && managers.has(manager))
      .map(({ subresource = '', time = '' }) => `${subresource} ${time}`)
      .join(', ') || undefined
  );
}

/** Whether the Go backend wrote between two looks at an object. Needs no clock: what it left behind before either stays as it is. */
export function isFreshWrite(before: KubeObject | undefined, after: KubeObject): boolean {
  const write = backendWrite(after);
  return write !== undefined && (before === undefined || backendWrite(before) !== write);
}

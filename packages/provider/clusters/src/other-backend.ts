import type { KubeObject } from '@hawser/client';

/** Names of the Go backend in managedFields: a client is named after its program file. */
const managers: ReadonlySet<string> = new Set(['backend', 'kube-bind-backend']);

/** Last write of the Go backend to an object; undefined: none. Equal texts: no write in between. */
export function backendWrite({ metadata }: KubeObject): string | undefined {
  return (
    metadata.managedFields
      ?.filter(({ manager }) => manager !== undefined && managers.has(manager))
      .map(({ subresource = '', time = '' }) => `${subresource} ${time}`)
      .join(', ') || undefined
  );
}

/** Whether the Go backend wrote between two looks at an object. Needs no clock: its older entries do not change. */
export function isFreshWrite(before: KubeObject | undefined, after: KubeObject): boolean {
  const write = backendWrite(after);
  return write !== undefined && (before === undefined || backendWrite(before) !== write);
}

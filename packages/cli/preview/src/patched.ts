import type { Patch, UnstructuredObject } from '@hawser/client';
import { applyMergePatch } from '@hawser/json';

/** The object after a patch, as far as known without the server: undefined for server-side apply. */
export function patched(before: UnstructuredObject | undefined, patch: Patch): UnstructuredObject | undefined {
  if (before === undefined) return undefined;
  switch (patch.type) {
    case 'merge':
      return applyMergePatch(before, patch.patch) as unknown as UnstructuredObject;
    case 'json':
      return (patch.operations as readonly Operation[]).reduce(operated, before);
    case 'apply':
      return undefined;
  }
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** Applies one JSON patch operation to members of objects; no others occur here. */
function operated(object: UnstructuredObject, { op, path, value }: Operation): UnstructuredObject {
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const into = (node: unknown, [head = '', ...rest]: readonly string[]): Record<string, unknown> => {
    const entries = Object.entries((node ?? {}) as Record<string, unknown>).filter(([key]) => key !== head);
    const child = (node as Record<string, unknown> | undefined)?.[head];
    if (rest.length > 0) return Object.fromEntries([...entries, [head, into(child, rest)]]);
    return Object.fromEntries(op === 'remove' ? entries : [...entries, [head, value]]);
  };
  return into(object, keys) as unknown as UnstructuredObject;
}

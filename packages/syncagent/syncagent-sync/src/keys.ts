import { type UnstructuredObject, objectKey } from '@hawser/client';

export function describe(object: UnstructuredObject): string {
  return `${object.kind} "${objectKey(object.metadata)}"`;
}

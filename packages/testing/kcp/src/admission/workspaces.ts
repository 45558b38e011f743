import { type AdmittedWrite, metaOf, withMeta } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { OWNER } from '../names.js';

/** A new workspace says who has made it. */
export function admitWorkspace({ object, previous, user }: AdmittedWrite): JsonObject {
  if (previous !== undefined || user === undefined) return object;
  const owner = { username: user.name, ...(user.uid === undefined ? {} : { uid: user.uid }), groups: [...user.groups] };
  return withMeta(object, { annotations: { ...metaOf(object).annotations, [OWNER]: JSON.stringify(owner) } });
}

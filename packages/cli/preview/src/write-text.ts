import type { JsonObject } from '@hawser/json';

import type { PlannedWrite } from './planned-write.js';
import { changesOf, isSecret, oneLine, presentable } from './shown.js';

/** A write on one line: `patch databases.example.com/status service/orders on the provider`. `where`: its side in words. */
export function writeHeadline(
  { verb, resource, key, subresource, withheld }: PlannedWrite<unknown>,
  where: string,
): string {
  const what = `${resource.resource}${resource.group === '' ? '' : `.${resource.group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  const which = `${key.namespace === undefined ? '' : `${key.namespace}/`}${key.name}`;
  return `${withheld === true ? 'held back: ' : ''}${verb} ${what} ${which} ${where}`;
}

/** The values that a write changes, a line each. None for Secrets. */
export function changeLines(write: PlannedWrite<unknown>): readonly string[] {
  return changesOf(write).flatMap(({ path, before, after }) => [
    ...(before === undefined ? [] : [`  - ${path}: ${oneLine(before)}`]),
    ...(after === undefined ? [] : [`  + ${path}: ${oneLine(after)}`]),
  ]);
}

/** A write for programs. Never holds contents of Secrets. */
export function writeJson({
  verb,
  resource,
  key,
  subresource,
  withheld,
  before,
  after,
}: PlannedWrite<unknown>): JsonObject {
  const shown = !isSecret(resource);
  return {
    verb,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    namespace: key.namespace,
    name: key.name,
    subresource,
    withheld,
    before: shown && before !== undefined ? presentable(before) : undefined,
    after: shown && after !== undefined ? presentable(after) : undefined,
  };
}

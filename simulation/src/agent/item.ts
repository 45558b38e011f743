import type { JsonObject } from '@hawser/json';

export const CRONTABS = { group: 'example.com', version: 'v1', resource: 'crontabs' };
export const SECRETS = { group: '', version: 'v1', resource: 'secrets' };

/** An object of a user, or its copy, as the simulation sees it. */
export interface Item {
  readonly name: string;
  /** Path of the workspace of the user who made it. */
  readonly workspace: string;
  readonly object: number;
  readonly value: number;
  readonly secretName: string;
  readonly status: number | undefined;
  /** Number of later fields that have the value. */
  readonly extras: number;
  readonly terminating: boolean;
  readonly finalizers: readonly string[];
}

export function itemOf(object: JsonObject): Item {
  const { metadata, spec, status } = object as unknown as {
    readonly metadata: {
      readonly name: string;
      readonly deletionTimestamp?: string;
      readonly finalizers?: readonly string[];
    };
    readonly spec: Pick<Item, 'workspace' | 'object' | 'value' | 'secretName'>;
    readonly status?: { readonly value?: number };
  };
  return {
    ...spec,
    name: metadata.name,
    status: status?.value,
    extras: Object.entries(spec).filter(([name, value]) => name.startsWith(EXTRA) && value === spec.value).length,
    terminating: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers ?? [],
  };
}

const EXTRA = 'extra';

/** Later fields of the API, each with the value. */
export function extrasOf(fields: number, value: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Array.from({ length: fields }, (_, at) => [`${EXTRA}${at}`, value]));
}

/** Contents of an object's Secret. */
export function contentOf(workspace: string, object: number, value: number): string {
  return `${workspace} ${object} ${value}`;
}

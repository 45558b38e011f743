import {
  type FieldSelector,
  type LabelSelector,
  everyField,
  everyLabel,
  labelRules,
  parseFieldSelector,
  parseLabelSelector,
} from '@hawser/selector';
import type { KubeObject } from '@hawser/client';
import { type JsonObject, type JsonValue, stringify } from '@hawser/json';
import { type JsonPath, parseJsonPath } from '@hawser/table';
import { isTrue } from './asked.js';
import { Refused, badRequest } from './refused.js';

/** Options of a list or watch (apimachinery `metav1.ListOptions`). */
export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /**
   * Paths of the values in `fields`, beside name and namespace. Only the API server knows whether they are selectable.
   */
  readonly paths: ReadonlyMap<string, JsonPath>;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
  /** Empty: the newest. `0`: any. */
  readonly resourceVersion: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly timeoutMs: number | undefined;
  readonly bookmarks: boolean;
  readonly initialEvents: boolean;
}

/**
 * Reads the query of a list or watch. Pure.
 * @throws {Refused} 400 and 422, as an API server does.
 */
export function readListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const fields = parsed(query.get('fieldSelector') ?? '', everyField, parseFieldSelector).converted((field) => field);
  const match = query.get('resourceVersionMatch') ?? '';
  const resourceVersion = query.get('resourceVersion') ?? '';
  const continueToken = query.get('continue') ?? '';
  const timeoutSeconds = integer(query, 'timeoutSeconds');
  const asked = query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined;
  if (!/^\d{0,40}$/u.test(resourceVersion)) throw badRequest('invalid resource version: it is not a number');
  if (match !== '' && match !== 'Exact' && match !== 'NotOlderThan')
    throw invalid('resourceVersionMatch: Unsupported value: supported values: "Exact", "NotOlderThan"');
  if (watch) {
    if (match !== '' && asked === undefined)
      throw invalid(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      );
    if (match !== '' && match !== 'NotOlderThan')
      throw invalid('resourceVersionMatch: Unsupported value: supported values: "NotOlderThan"');
    if (match !== '' && continueToken !== '')
      throw invalid('resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided');
    if (asked !== undefined && match !== 'NotOlderThan')
      throw invalid(
        'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      );
  } else {
    if (asked !== undefined) throw invalid('sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list');
    if (match !== '' && resourceVersion === '')
      throw invalid(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      );
    if (match !== '' && continueToken !== '')
      throw invalid('resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided');
    if (match === 'Exact' && resourceVersion === '0')
      throw invalid(
        'resourceVersionMatch: Forbidden: resourceVersionMatch "Exact" is forbidden for resourceVersion "0"',
      );
    if (continueToken !== '' && resourceVersion !== '' && resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
  }
  const fromNowhere = resourceVersion === '' || resourceVersion === '0';
  return {
    labels: parsed(query.get('labelSelector') ?? '', everyLabel, (text) => parseLabelSelector(text, labelRules)),
    fields,
    paths: pathsOf(fields),
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    continueToken,
    resourceVersion,
    match,
    timeoutMs: timeoutSeconds === undefined || timeoutSeconds <= 0 ? undefined : timeoutSeconds * 1_000,
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    initialEvents: asked ?? fromNowhere,
  };
}

/** Whether an object matches the selectors. Pure. */
export function isSelected(
  { labels, fields, paths }: Pick<ListOptions, 'labels' | 'fields' | 'paths'>,
  object: KubeObject,
): boolean {
  const { metadata } = object;
  if (!labels.empty && !labels.matches(metadata.labels ?? {})) return false;
  if (fields.empty) return true;
  const values = new Map([
    ['metadata.name', metadata.name],
    ['metadata.namespace', metadata.namespace ?? ''],
  ]);
  for (const [field, path] of paths) values.set(field, printed(path.find(object as object as JsonObject)[0]));
  return fields.matches(values);
}

/** A value as field selectors compare it (apiextensions `selectableFields`): a missing one is empty. */
function printed(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? stringify(value) : String(value);
}

const OF_ALL: readonly string[] = ['metadata.name', 'metadata.namespace'];

function pathsOf(fields: FieldSelector): ReadonlyMap<string, JsonPath> {
  const paths = new Map<string, JsonPath>();
  for (const field of fields.fields) {
    if (OF_ALL.includes(field)) continue;
    const path = parseJsonPath(`.${field}`);
    if (path === undefined) throw badRequest(`field label not supported: ${field}`);
    paths.set(field, path);
  }
  return paths;
}

function parsed<T>(text: string, all: T, parse: (text: string) => T): T {
  if (text === '') return all;
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(error.message) : error;
  }
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,15}$/u.test(text)) throw badRequest(`${name}: it is not a number`);
  return Number(text);
}

const invalid = (message: string): Refused =>
  new Refused(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${message}`, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
  });

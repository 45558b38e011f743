import type { FieldError } from '@hawser/schema';
import { forbiddenField, invalidObject, notSupported, required } from '../object/invalid.js';
import { validateFieldManager } from '../object/validate-meta.js';
import { badRequest, quote } from '../status.js';
import { type FieldSelector, type LabelSelector, everyField, everyLabel } from '@hawser/selector';
import { parseFieldSelector } from './field-selector.js';
import { parseLabelSelector } from './label-selector.js';
import { isTrue } from './request-info.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Empty if the request names none. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** For apply. */
  readonly force: boolean;
}

const META = 'meta.k8s.io';

/** `CreateOptions`, `UpdateOptions`, `PatchOptions` of a query. Throws 422. */
export function writeOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply = false,
): WriteOptions {
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors: FieldError[] = [];
  if (kind === 'PatchOptions') {
    if (apply && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
    if (!apply && query.has('force')) errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...validateFieldManager(fieldManager, 'fieldManager'), ...validateDryRun(query.getAll('dryRun')));
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation))
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0) throw invalidObject({ group: META, kind }, '', errors);
  return {
    dryRun: query.has('dryRun'),
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force: isTrue(query.get('force')),
  };
}

export function validateDryRun(values: readonly string[]): readonly FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];
}

export interface ListOptions {
  readonly watch: boolean;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** `convert`: field label conversion of the resource. Throws 400 and 422. */
export function listOptions(query: URLSearchParams, watch: boolean, convert: (label: string) => string): ListOptions {
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  const options: ListOptions = {
    watch,
    labels: labelText === '' ? everyLabel : parseLabelSelector(labelText),
    fields: fieldText === '' ? everyField : parseFieldSelector(fieldText),
    limit: integer(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
  };
  const defaulted = withLegacyInitialEvents(options);
  const errors = watch ? watchErrors(defaulted) : listErrors(defaulted);
  if (errors.length > 0) throw invalidObject({ group: META, kind: 'ListOptions' }, '', errors);
  return { ...defaulted, fields: defaulted.fields.converted(convert) };
}

/** A watch without a start that allows bookmarks first gets the state (apimachinery `SetListOptionsDefaults`). */
function withLegacyInitialEvents(options: ListOptions): ListOptions {
  const { watch, sendInitialEvents, resourceVersionMatch, resourceVersion } = options;
  const legacy =
    watch &&
    sendInitialEvents === undefined &&
    resourceVersionMatch === '' &&
    (resourceVersion === '' || resourceVersion === '0');
  return legacy ? { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : options;
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/u.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
  return Number(text);
}

function listErrors(options: ListOptions): readonly FieldError[] {
  const { resourceVersionMatch: match, resourceVersion, continueToken } = options;
  const path = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '')
      errors.push(forbiddenField(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (continueToken !== '')
      errors.push(forbiddenField(path, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(path, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0')
      errors.push(forbiddenField(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchErrors(options: ListOptions): readonly FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents, continueToken } = options;
  const path = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined)
    errors.push(
      forbiddenField(path, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  if (match !== 'NotOlderThan') errors.push(notSupported(path, match, ['NotOlderThan']));
  if (continueToken !== '')
    errors.push(forbiddenField(path, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

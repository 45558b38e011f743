import { equal } from '@hawser/json';
import { type Comparison, type SchemaChange, changeOf, comparisonOf } from './change.js';
import type { ChangeKind } from './classification.js';
import { compareSchemas } from './compare-schemas.js';
import type { Definition, DefinitionVersion } from './definition.js';

/** The effect on objects and users of `before` if `after` replaces it. Pure. */
export function compareDefinitions(before: Definition, after: Definition): Comparison {
  return comparisonOf([
    ...compareIdentity(before, after),
    ...compareNames(before, after),
    ...compareConversion(before, after),
    ...before.versions.flatMap((version) => compareVersion(version, after)),
    ...newVersions(before, after),
    ...compareStorage(before, after),
  ]);
}

const resource = (kind: ChangeKind, message: string): SchemaChange => changeOf(kind, undefined, '', message);

function compareIdentity(before: Definition, after: Definition): readonly SchemaChange[] {
  return (['group', 'plural', 'kind', 'scope'] as const).flatMap((field) =>
    before[field] === after[field]
      ? []
      : [resource(`${field}-changed`, `the ${field} is ${after[field]}, was ${before[field]}`)],
  );
}

function compareNames(before: Definition, after: Definition): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  // Both default to the kind, whose change is already reported.
  if (before.kind === after.kind) {
    if (before.singular !== after.singular)
      changes.push(resource('names-changed', `the singular is ${after.singular}, was ${before.singular}`));
    if (before.listKind !== after.listKind)
      changes.push(resource('names-changed', `the kind of lists is ${after.listKind}, was ${before.listKind}`));
  }
  for (const [field, words] of [
    ['shortNames', 'short name'],
    ['categories', 'category'],
  ] as const) {
    for (const name of missing(before[field], after[field]))
      changes.push(resource('names-changed', `the ${words} ${name} is no longer there`));
    for (const name of missing(after[field], before[field]))
      changes.push(resource('names-added', `the ${words} ${name} is new`));
  }
  return changes;
}

function compareConversion(before: Definition, after: Definition): readonly SchemaChange[] {
  const [was, is] = [before.conversion, after.conversion];
  const changes: SchemaChange[] = [];
  if (was.strategy !== is.strategy)
    changes.push(resource('conversion-changed', `the conversion is ${is.strategy}, was ${was.strategy}`));
  else if (!equal(was.webhook, is.webhook))
    changes.push(resource('conversion-webhook-changed', 'another webhook converts versions'));
  if (before.preserveUnknownFields && !after.preserveUnknownFields)
    changes.push(resource('unknown-fields-pruned', 'unknown fields are dropped, and were kept everywhere'));
  return changes;
}

function compareVersion(before: DefinitionVersion, after: Definition): readonly SchemaChange[] {
  const current = after.versions.find(({ name }) => name === before.name);
  const change = (kind: ChangeKind, message: string): SchemaChange => changeOf(kind, before.name, '', message);
  if (current === undefined)
    return [
      before.served
        ? change('version-removed', 'the version is no longer there')
        : change('unserved-version-removed', 'the version is no longer there; it was not served'),
    ];
  const changes: SchemaChange[] = [];
  if (before.served && !current.served) changes.push(change('version-unserved', 'the version is no longer served'));
  if (!before.served && current.served) changes.push(change('version-served', 'the version is served'));
  if (current.deprecated && (!before.deprecated || before.deprecationWarning !== current.deprecationWarning))
    changes.push(
      change(
        'version-deprecated',
        before.deprecated ? 'the warning about the deprecated version is another' : 'the version is deprecated',
      ),
    );
  if (before.deprecated && !current.deprecated)
    changes.push(change('version-undeprecated', 'the version is no longer deprecated'));
  changes.push(...compareSubresources(before, current, change));
  for (const path of missing(before.selectableFields, current.selectableFields))
    changes.push(change('selectable-field-removed', `the field ${path} is no longer selectable`));
  for (const path of missing(current.selectableFields, before.selectableFields))
    changes.push(change('selectable-field-added', `the field ${path} is selectable`));
  if (!equal(before.printerColumns, current.printerColumns))
    changes.push(change('printer-columns-changed', 'other columns are printed'));
  return [...changes, ...compareSchemas(before.schema, current.schema, before.name)];
}

function compareSubresources(
  before: DefinitionVersion,
  after: DefinitionVersion,
  change: (kind: ChangeKind, message: string) => SchemaChange,
): readonly SchemaChange[] {
  const [was, is] = [Object.keys(before.subresources), Object.keys(after.subresources)];
  const changes = missing(was, is).map((name) =>
    change('subresource-removed', `the subresource ${name} is no longer there`),
  );
  for (const name of missing(is, was))
    changes.push(
      name === 'status'
        ? change('status-subresource-added', 'the status is a subresource now')
        : change('scale-added', `the subresource ${name} is new`),
    );
  const [old, current] = [before.subresources['scale'], after.subresources['scale']];
  if (old !== undefined && current !== undefined && !equal(old, current))
    changes.push(change('scale-changed', 'the subresource scale points to other fields'));
  return changes;
}

function newVersions(before: Definition, after: Definition): readonly SchemaChange[] {
  return missing(
    after.versions.map(({ name }) => name),
    before.versions.map(({ name }) => name),
  ).map((name) => changeOf('version-added', name, '', 'the version is new'));
}

/** Without a conversion, objects stored in one version are read in the other. */
function compareStorage(before: Definition, after: Definition): readonly SchemaChange[] {
  const [was, is] = [before, after].map(({ versions }) => versions.find(({ storage }) => storage));
  if (was === undefined || is === undefined || was.name === is.name) return [];
  return [
    resource('storage-version-changed', `objects are stored as ${is.name}, were as ${was.name}`),
    ...compareSchemas(was.schema, is.schema, is.name),
  ];
}

/** Members of `all` that `others` lacks. */
function missing(all: readonly string[], others: readonly string[]): readonly string[] {
  return all.filter((one) => !others.includes(one));
}

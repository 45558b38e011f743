import { type Comparison, type SchemaChange, comparisonOf } from './change.js';
import { compareSchemas } from './compare-schemas.js';
import type { Definition, DefinitionVersion } from './definition.js';

/** What becomes of the objects of `before`, and of those who use it, when `after` takes its place. Pure. */
export function compareDefinitions(before: Definition, after: Definition): Comparison {
  return comparisonOf([...compareIdentity(before, after), ...before.versions.flatMap((version) => compareVersion(version, after)), ...newVersions(before, after), ...compareStorage(before, after)]);
}

const identity = ['group', 'plural', 'kind', 'scope'] as const;

function compareIdentity(before: Definition, after: Definition): readonly SchemaChange[] {
  return identity.flatMap((field): SchemaChange[] =>
    (before[field] === after[field] ? [] : [{ severity: 'incompatible', path: '', message: `the ${field} is ${after[field]}, was ${before[field]}` }]));
}

function compareVersion(before: DefinitionVersion, after: Definition): readonly SchemaChange[] {
  const current = after.versions.find(({ name }) => name === before.name);
  const { name: version } = before;
  const change = (severity: SchemaChange['severity'], message: string): SchemaChange => ({ severity, version, path: '', message });
  if (current === undefined) return [before.served ? change('breaking', 'the version is no longer there') : change('safe', 'the version is no longer there; it was not served')];
  const changes: SchemaChange[] = [];
  if (before.served && !current.served) changes.push(change('breaking', 'the version is no longer served'));
  if (!before.served && current.served) changes.push(change('safe', 'the version is served'));
  for (const name of before.subresources) if (!current.subresources.includes(name)) changes.push(change('breaking', `the subresource ${name} is no longer there`));
  for (const name of current.subresources) {
    if (before.subresources.includes(name)) continue;
    // Whoever writes the status together with the rest of the object now writes it in vain.
    changes.push(name === 'status' ? change('breaking', 'the status is a subresource now') : change('safe', `the subresource ${name} is new`));
  }
  return [...changes, ...compareSchemas(before.schema, current.schema, version)];
}

function newVersions(before: Definition, after: Definition): readonly SchemaChange[] {
  return after.versions.flatMap(({ name }): SchemaChange[] =>
    (before.versions.some((version) => version.name === name) ? [] : [{ severity: 'safe', version: name, path: '', message: 'the version is new' }]));
}

/** Without a conversion, what was stored as one version is read as the other. */
function compareStorage(before: Definition, after: Definition): readonly SchemaChange[] {
  const [was, is] = [before, after].map(({ versions }) => versions.find(({ storage }) => storage));
  if (was === undefined || is === undefined || was.name === is.name) return [];
  return [{ severity: 'safe', path: '', message: `objects are stored as ${is.name}, were as ${was.name}` }, ...compareSchemas(was.schema, is.schema, is.name)];
}

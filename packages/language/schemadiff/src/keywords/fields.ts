import { equal } from '@hawser/json';
import { type SchemaNode, isNode, nodeOf, stringsOf } from '../definition.js';
import { type Keyword, anything, join } from './keyword.js';

export const compareRequired: Keyword = (before, after, { path, report }) => {
  const [was, is] = [stringsOf(before['required']), stringsOf(after['required'])];
  for (const name of is) {
    const [old, current] = [ownOf(nodeOf(before['properties']), name), ownOf(nodeOf(after['properties']), name)];
    if (!isAbsent(nodeOf(current)['default'])) continue;
    if (!was.includes(name)) report('required-added', join(path, name), 'is required');
    else if (!isAbsent(nodeOf(old)['default']))
      report('required-default-removed', join(path, name), 'is required, and has no default any more');
  }
  for (const name of was) if (!is.includes(name)) report('required-removed', join(path, name), 'is no longer required');
};

export const compareProperties: Keyword = (before, after, { path, report, compare }) => {
  const [was, is] = [propertiesOf(before, path), propertiesOf(after, path)];
  const rest = additional(after);
  for (const [name, old] of Object.entries(was)) {
    const current = Object.hasOwn(is, name) ? is[name] : rest;
    if (current === undefined)
      report('property-removed', join(path, name), 'is no longer there: what is stored in it is lost');
    else if (current === true)
      report('property-freed', join(path, name), 'has no schema of its own any more, and is kept');
    else compare(nodeOf(old), nodeOf(current), join(path, name));
  }
  const open = additional(before);
  for (const [name, current] of Object.entries(is)) {
    if (Object.hasOwn(was, name)) continue;
    report('property-added', join(path, name), 'is new');
    // Values of any kind may already exist there.
    if (open !== undefined) compare(open === true ? anything : open, nodeOf(current), join(path, name));
    else if (!isAbsent(nodeOf(current)['default'])) report('default-added', join(path, name), 'has a default');
  }
};

/** Fields of every object, declared or not: a CRD can only restrict its name. */
function propertiesOf(schema: SchemaNode, path: string): SchemaNode {
  const own = nodeOf(schema['properties']);
  if (path !== '' && schema['x-kubernetes-embedded-resource'] !== true) return own;
  const metadata = nodeOf(ownOf(own, 'metadata'));
  return {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    ...own,
    metadata: {
      ...metadata,
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { name: { type: 'string' }, generateName: { type: 'string' }, ...nodeOf(metadata['properties']) },
    },
  };
}

export const compareAdditional: Keyword = (before, after, { path, report, compare }) => {
  const [was, is] = [additional(before), additional(after)];
  const at = join(path, '*');
  // Values of another type have no fields.
  if (after['type'] !== undefined && after['type'] !== 'object') return;
  if (was === undefined) {
    if (is !== undefined) report('unknown-fields-kept', at, 'fields of other names are kept');
  } else if (is === undefined) report('unknown-fields-pruned', at, 'fields of other names are no longer kept');
  else if (is !== true) compare(was === true ? anything : was, is, at);
  else if (was !== true) report('type-widened', at, 'may be anything');
};

/** Schema of undeclared fields: `true` for anything, undefined where they are dropped. */
function additional(schema: SchemaNode): SchemaNode | true | undefined {
  const { additionalProperties } = schema;
  if (isNode(additionalProperties)) return equal(additionalProperties, anything) ? true : additionalProperties;
  return additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true ? true : undefined;
}

export const compareEmbedded: Keyword = (before, after, { path, report }) => {
  const [was, is] = [before, after].map((schema) => schema['x-kubernetes-embedded-resource'] === true);
  if (is === true && was !== true) report('embedded-resource-added', path, 'must be a whole object of Kubernetes');
  if (was === true && is !== true)
    report('embedded-resource-removed', path, 'need not be a whole object of Kubernetes');
};

export const compareNullable: Keyword = (before, after, { path, report }) => {
  const [was, is] = [before['nullable'] === true, after['nullable'] === true];
  if (was && !is) report('nullable-removed', path, 'may no longer be null');
  if (is && !was) report('nullable-added', path, 'may be null');
};

export const compareDefault: Keyword = (before, after, { path, report }) => {
  const [was, is] = [before['default'], after['default']];
  if (isAbsent(was) !== isAbsent(is))
    report(
      isAbsent(was) ? 'default-added' : 'default-removed',
      path,
      isAbsent(was) ? 'has a default' : 'has no default any more',
    );
  else if (!isAbsent(was) && !equal(was, is)) report('default-changed', path, 'has another default');
};

export const compareMapType: Keyword = (before, after, { path, report }) => {
  const [was, is] = [before, after].map((schema) =>
    schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular',
  );
  if (was !== is) report('map-type-changed', path, `is a map of type ${is}, was ${was}`);
};

/** A default of `null` is none. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function ownOf(node: SchemaNode, name: string): unknown {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}

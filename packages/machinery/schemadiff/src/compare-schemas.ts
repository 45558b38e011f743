import { equal } from '@hawser/json';
import type { SchemaChange, Severity } from './change.js';
import { type SchemaNode, isNode, nodeOf } from './definition.js';

/** What is found at one path. */
export type Report = (severity: Severity, path: string, message: string) => void;

/** One keyword, or several that belong together. */
type Rule = (before: SchemaNode, after: SchemaNode, path: string, report: Report) => void;

/** What changed from one schema to the other, for values that were valid under the first. Keywords that only describe are not looked at. */
export function compareSchemas(before: SchemaNode, after: SchemaNode, version: string | undefined): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  compare(before, after, '', (severity, path, message) => { changes.push({ severity, version, path, message }); });
  return changes;
}

function compare(before: SchemaNode, after: SchemaNode, path: string, report: Report): void {
  if (!compareTypes(before, after, path, report)) return;
  for (const rule of rules) rule(before, after, path, report);
}

/** False: nothing more can be said about values of another type. */
function compareTypes(before: SchemaNode, after: SchemaNode, path: string, report: Report): boolean {
  const [was, is] = [typesOf(before), typesOf(after)];
  if (is === undefined || (was !== undefined && was.every((type) => is.includes(type) || (type === 'integer' && is.includes('number'))))) return true;
  const partly = was === undefined || was.some((type) => is.includes(type));
  report(partly ? 'breaking' : 'incompatible', path, `is ${is.join(' or ')}, was ${was === undefined ? 'of any type' : was.join(' or ')}`);
  return partly;
}

/** The types that a value may have; undefined for any. */
function typesOf(schema: SchemaNode): readonly string[] | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  const { type } = schema;
  return typeof type === 'string' && type !== '' ? [type] : undefined;
}

/** A bound that lets less through than before. `tighter`: whether the new one does. */
function bound(keyword: string, words: string, tighter: (after: number, before: number) => boolean): Rule {
  return (before, after, path, report) => {
    const [was, is] = [numberOf(before[keyword]), numberOf(after[keyword])];
    if (is === undefined || (was !== undefined && !tighter(is, was))) return;
    report('breaking', path, `${words} ${is}${was === undefined ? '' : `, was ${was}`}`);
  };
}

const higher = (after: number, before: number): boolean => after > before;
const lower = (after: number, before: number): boolean => after < before;
const noDivisor = (after: number, before: number): boolean => !Number.isInteger(before / after);

/** A keyword that is on now and was not. */
function switchedOn(keyword: string, severity: Severity, message: string): Rule {
  return (before, after, path, report) => {
    if (after[keyword] === true && before[keyword] !== true) report(severity, path, message);
  };
}

/** A keyword that was on and is not any more. */
function switchedOff(keyword: string, message: string): Rule {
  return (before, after, path, report) => {
    if (before[keyword] === true && after[keyword] !== true) report('breaking', path, message);
  };
}

/** A condition that is new or another one: whether the old values meet it nobody can say. */
function constraint(keyword: string, name = keyword): Rule {
  return (before, after, path, report) => {
    const [was, is] = [before[keyword], after[keyword]];
    if (isNothing(is) || same(was, is)) return;
    report('breaking', path, typeof is === 'string' ? `must have the ${name} ${is}${typeof was === 'string' ? `, had ${was}` : ''}` : `has another ${name}`);
  };
}

const compareEnums: Rule = (before, after, path, report) => {
  const [was, is] = [before['enum'], after['enum']];
  if (!Array.isArray(is) || is.length === 0) return;
  if (!Array.isArray(was) || was.length === 0) {
    report('breaking', path, `may only be one of ${is.map(text).join(', ')}`);
    return;
  }
  const gone = was.filter((value) => !is.some((other) => same(value, other)));
  if (gone.length > 0) report('breaking', path, `may no longer be ${gone.map(text).join(' or ')}`);
};

const compareRequired: Rule = (before, after, path, report) => {
  const [was, is] = [stringsOf(before['required']), stringsOf(after['required'])];
  for (const name of is) {
    const [old, current] = [nodeOf(before['properties'])[name], nodeOf(nodeOf(after['properties'])[name])];
    if (current['default'] !== undefined) continue;
    if (!was.includes(name)) report('breaking', join(path, name), 'is required');
    else if (nodeOf(old)['default'] !== undefined) report('breaking', join(path, name), 'is required, and has no default any more');
  }
};

/** What every object has, whether or not its schema says so. */
const implicit = new Set(['apiVersion', 'kind', 'metadata']);

const compareProperties: Rule = (before, after, path, report) => {
  const [was, is] = [nodeOf(before['properties']), nodeOf(after['properties'])];
  for (const [name, old] of Object.entries(was)) {
    if (path === '' && implicit.has(name) && !Object.hasOwn(is, name)) continue;
    const current = Object.hasOwn(is, name) ? is[name] : additional(after);
    if (current === undefined) report('breaking', join(path, name), 'is no longer there: what is stored in it is lost');
    else if (current !== true) compare(nodeOf(old), nodeOf(current), join(path, name), report);
  }
  const open = additional(before);
  for (const [name, current] of Object.entries(is)) {
    if (Object.hasOwn(was, name)) continue;
    report('safe', join(path, name), 'is new');
    // Values of any kind may stand there already.
    if (open !== undefined) compare(open === true ? {} : open, nodeOf(current), join(path, name), report);
  }
};

/** What values of other names must be like: `true` for anything, undefined where they are dropped. */
function additional(schema: SchemaNode): SchemaNode | true | undefined {
  const { additionalProperties } = schema;
  if (isNode(additionalProperties)) return additionalProperties;
  return additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true ? true : undefined;
}

const compareAdditional: Rule = (before, after, path, report) => {
  const [was, is] = [additional(before), additional(after)];
  const place = join(path, '*');
  if (was === undefined || is === true) return;
  if (is === undefined) report('breaking', place, 'fields of other names are no longer kept');
  else compare(was === true ? {} : was, is, place, report);
};

const compareItems: Rule = (before, after, path, report) => {
  const [was, is] = [before['items'], after['items']];
  if (isNode(is)) compare(nodeOf(was), is, `${path}[*]`, report);
};

const compareListType: Rule = (before, after, path, report) => {
  const [was, is] = [listType(before), listType(after)];
  if (is === 'atomic' || same(was, is)) return;
  report('breaking', path, `is a list of type ${is}, was ${was}: items may not be repeated`);
};

function listType(schema: SchemaNode): string {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'map') return `map by ${stringsOf(schema['x-kubernetes-list-map-keys']).join(', ')}`;
  return typeof type === 'string' && type !== '' ? type : 'atomic';
}

const compareValidations: Rule = (before, after, path, report) => {
  const was = new Set(rulesOf(before));
  for (const rule of rulesOf(after)) if (!was.has(rule)) report('breaking', path, `must satisfy the rule ${rule}`);
};

function rulesOf(schema: SchemaNode): readonly string[] {
  const list = schema['x-kubernetes-validations'];
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown) => {
    const { rule } = nodeOf(entry);
    return typeof rule === 'string' ? [rule] : [];
  });
}

const compareDefault: Rule = (before, after, path, report) => {
  if (!same(before['default'], after['default'])) report('safe', path, 'has another default');
};

const rules: readonly Rule[] = [
  compareRequired, compareProperties, compareAdditional, compareItems, compareListType, compareEnums, compareValidations, compareDefault,
  bound('minimum', 'may be no less than', higher), bound('maximum', 'may be no more than', lower),
  switchedOn('exclusiveMinimum', 'breaking', 'may no longer be its minimum'), switchedOn('exclusiveMaximum', 'breaking', 'may no longer be its maximum'),
  bound('multipleOf', 'must be a multiple of', noDivisor),
  bound('minLength', 'must have at least this length:', higher), bound('maxLength', 'may have at most this length:', lower),
  bound('minItems', 'must have at least this many items:', higher), bound('maxItems', 'may have at most this many items:', lower),
  bound('minProperties', 'must have at least this many fields:', higher), bound('maxProperties', 'may have at most this many fields:', lower),
  switchedOn('uniqueItems', 'breaking', 'may not repeat items'), switchedOff('nullable', 'may no longer be null'),
  switchedOn('x-kubernetes-embedded-resource', 'breaking', 'must be a whole object of Kubernetes'),
  constraint('pattern'), constraint('format'), constraint('allOf', 'condition (allOf)'), constraint('anyOf', 'condition (anyOf)'),
  constraint('oneOf', 'condition (oneOf)'), constraint('not', 'condition (not)'),
];

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function same(a: unknown, b: unknown): boolean {
  return a === b || equal(a, b);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

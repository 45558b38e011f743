import { equal } from '@hawser/json';
import { type SchemaNode, listOf } from '../definition.js';
import { type Keyword, isNothing, text } from './keyword.js';

type Count = number | bigint;

interface Bound {
  readonly keyword: string;
  readonly exclusive?: string;
  readonly is: 'lower' | 'upper';
  readonly words: string;
}

const bounds: readonly Bound[] = [
  { keyword: 'minimum', exclusive: 'exclusiveMinimum', is: 'lower', words: 'may be no less than' },
  { keyword: 'maximum', exclusive: 'exclusiveMaximum', is: 'upper', words: 'may be no more than' },
  { keyword: 'minLength', is: 'lower', words: 'must have at least this length:' },
  { keyword: 'maxLength', is: 'upper', words: 'may have at most this length:' },
  { keyword: 'minItems', is: 'lower', words: 'must have at least this many items:' },
  { keyword: 'maxItems', is: 'upper', words: 'may have at most this many items:' },
  { keyword: 'minProperties', is: 'lower', words: 'must have at least this many fields:' },
  { keyword: 'maxProperties', is: 'upper', words: 'may have at most this many fields:' },
];

export const compareBounds: Keyword = (before, after, { path, report }) => {
  for (const bound of bounds) {
    const [was, is] = [countOf(before[bound.keyword]), countOf(after[bound.keyword])];
    const [wasOpen, isOpen] = [isExclusive(before, bound), isExclusive(after, bound)];
    if (is === undefined) {
      if (was !== undefined) report('bounds-relaxed', path, `has no ${bound.keyword} any more`);
      continue;
    }
    const what = `${isOpen ? (bound.is === 'lower' ? 'must be more than' : 'must be less than') : bound.words} ${is}`;
    if (was === undefined) report('bounds-narrowed', path, what);
    else if (isSame(was, is)) {
      if (isOpen !== wasOpen)
        report(
          isOpen ? 'bounds-narrowed' : 'bounds-relaxed',
          path,
          `may ${isOpen ? 'no longer ' : ''}be its ${bound.keyword}`,
        );
    } else
      report(is > was === (bound.is === 'lower') ? 'bounds-narrowed' : 'bounds-relaxed', path, `${what}, was ${was}`);
  }
};

function isExclusive(schema: SchemaNode, { exclusive }: Bound): boolean {
  return exclusive !== undefined && schema[exclusive] === true;
}

function countOf(value: unknown): Count | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** A long integer equals a number of the same value. */
function isSame(a: Count, b: Count): boolean {
  return !(a < b) && !(a > b);
}

export const compareMultiple: Keyword = (before, after, { path, report }) => {
  const [was, is] = [countOf(before['multipleOf']), countOf(after['multipleOf'])];
  if (is === undefined) {
    if (was !== undefined) report('multiple-relaxed', path, 'need not be a multiple of anything');
  } else if (was === undefined || !isSame(was, is)) {
    const divides =
      was !== undefined &&
      [was, is].every((count) => Number.isSafeInteger(Number(count))) &&
      Number(was) % Number(is) === 0;
    report(
      divides ? 'multiple-relaxed' : 'multiple-narrowed',
      path,
      `must be a multiple of ${is}${was === undefined ? '' : `, was ${was}`}`,
    );
  }
};

export const compareEnums: Keyword = (before, after, { path, report }) => {
  const [was, is] = [listOf(before['enum']), listOf(after['enum'])];
  if (is.length === 0) {
    if (was.length > 0) report('enum-widened', path, 'may have other values');
    return;
  }
  if (was.length === 0) {
    report('enum-narrowed', path, `may only be one of ${is.map(text).join(', ')}`);
    return;
  }
  const without = (all: readonly unknown[], others: readonly unknown[]): readonly unknown[] =>
    all.filter((value) => !others.some((other) => equal(value, other)));
  const [gone, added] = [without(was, is), without(is, was)];
  if (gone.length > 0) report('enum-narrowed', path, `may no longer be ${gone.map(text).join(' or ')}`);
  if (added.length > 0) report('enum-widened', path, `may also be ${added.map(text).join(' or ')}`);
};

export const comparePattern: Keyword = (before, after, { path, report }) => {
  const [was, is] = [before['pattern'], after['pattern']];
  if (isNothing(is)) {
    if (!isNothing(was)) report('pattern-removed', path, 'has no pattern any more');
  } else if (was !== is)
    report('pattern-changed', path, `must have the pattern ${text(is)}${isNothing(was) ? '' : `, had ${text(was)}`}`);
};

/** Formats on the right accept every number of the format on the left. */
const longer: Readonly<Record<string, string>> = { int32: 'int64', float: 'double' };

export const compareFormat: Keyword = (before, after, { path, report }) => {
  const [was, is] = [before['format'], after['format']];
  if (isNothing(is)) {
    if (!isNothing(was)) report('format-widened', path, `need not have the format ${text(was)} any more`);
  } else if (was !== is) {
    const widened = typeof was === 'string' && Object.hasOwn(longer, was) && longer[was] === is;
    report(
      widened ? 'format-widened' : 'format-changed',
      path,
      `must have the format ${text(is)}${isNothing(was) ? '' : `, had ${text(was)}`}`,
    );
  }
};

export const compareUnique: Keyword = (before, after, { path, report }) => {
  const [was, is] = [before['uniqueItems'] === true, after['uniqueItems'] === true];
  if (was !== is)
    report(is ? 'unique-added' : 'unique-removed', path, is ? 'may not repeat items' : 'may repeat items');
};

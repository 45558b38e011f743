import { equal } from '@hawser/json';
import { type SchemaChange, changeOf } from './change.js';
import type { SchemaNode } from './definition.js';
import {
  compareAdditional,
  compareDefault,
  compareEmbedded,
  compareMapType,
  compareNullable,
  compareProperties,
  compareRequired,
} from './keywords/fields.js';
import type { Compare, Keyword } from './keywords/keyword.js';
import { compareItems, compareListType } from './keywords/lists.js';
import { compareConditions } from './keywords/conditions.js';
import { compareRules } from './keywords/rules.js';
import { compareTypes } from './keywords/types.js';
import {
  compareBounds,
  compareEnums,
  compareFormat,
  compareMultiple,
  comparePattern,
  compareUnique,
} from './keywords/values.js';

const keywords: readonly Keyword[] = [
  compareRequired,
  compareProperties,
  compareAdditional,
  compareItems,
  compareListType,
  compareMapType,
  compareEmbedded,
  compareNullable,
  compareDefault,
  compareEnums,
  compareBounds,
  compareMultiple,
  comparePattern,
  compareFormat,
  compareUnique,
  compareConditions,
  compareRules,
];

/**
 * Changes from one schema to the other, for values that were valid under the first. Ignores purely descriptive
 * keywords.
 */
export function compareSchemas(
  before: SchemaNode,
  after: SchemaNode,
  version: string | undefined,
): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  const compare: Compare = (was, is, path) => {
    // Most of a big CRD is unchanged, and detecting that costs far less than comparing keywords.
    if (was === is || equal(was, is)) return;
    const context = {
      path,
      report: (kind: SchemaChange['kind'], at: string, message: string) => {
        changes.push(changeOf(kind, version, at, message));
      },
      compare,
    };
    if (compareTypes(was, is, context) === 'apart') return;
    for (const keyword of keywords) keyword(was, is, context);
  };
  compare(before, after, '');
  return changes;
}

import type { CRDPrinterColumn } from '@hawser/crd';
import type { Described } from './printer.js';

/** A version as described by a BoundSchema, or by an export that carries its schema. */
export interface DescribedVersion {
  readonly name: string;
  readonly served?: boolean | undefined;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly additionalPrinterColumns?: readonly CRDPrinterColumn[] | undefined;
}

/** The description of one version. Pure. */
export function described(
  group: string,
  kind: string,
  versions: readonly DescribedVersion[],
  version: string,
): Described | undefined {
  const found = versions.find(({ name }) => name === version);
  if (found === undefined) return undefined;
  return {
    columns: found.additionalPrinterColumns ?? [],
    warning:
      found.deprecated === true ? (found.deprecationWarning ?? warningOf(group, kind, versions, version)) : undefined,
  };
}

/** The text of apiextensions for a CRD without a text of its own. */
function warningOf(group: string, kind: string, versions: readonly DescribedVersion[], version: string): string {
  const newer = versions
    .filter(({ name, served, deprecated }) => served !== false && deprecated !== true && isNewer(name, version))
    .map(({ name }) => name)
    .sort((a, b) => (isNewer(a, b) ? -1 : 1));
  const instead = newer[0] === undefined ? '' : `; use ${group}/${newer[0]} ${kind}`;
  return `${group}/${version} ${kind} is deprecated${instead}`;
}

const KUBE_LIKE = /^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$/u;
const STAGES: readonly (string | undefined)[] = ['alpha', 'beta', undefined];

/**
 * Stable before beta before alpha, then by number (apimachinery `version.CompareKubeAwareVersionStrings`). Other names
 * are older.
 */
function isNewer(one: string, other: string): boolean {
  const [a, b] = [rank(one), rank(other)];
  for (const [index, value] of a.entries()) {
    const against = b[index] ?? 0;
    if (value !== against) return value > against;
  }
  return one < other;
}

function rank(version: string): readonly number[] {
  const found = KUBE_LIKE.exec(version);
  if (found === null) return [-1, 0, 0];
  const [, major, stage, minor = '0'] = found;
  return [STAGES.indexOf(stage), Number(major), Number(minor)];
}

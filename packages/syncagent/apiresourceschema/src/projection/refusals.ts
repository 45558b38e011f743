import type { CustomResourceDefinition } from '@hawser/crd';
import { approvalAnnotation, isProtectedGroup, needsIdentityHash, versionNamePattern } from '@hawser/kcp-api';
import type { ProjectionProblem, ProjectionProblemCode } from './projection-error.js';

type Names = CustomResourceDefinition['spec']['names'];
type Version = CustomResourceDefinition['spec']['versions'][number];

const shortGroups = new Set(['', 'apps', 'batch', 'extensions', 'policy', 'autoscaling']);
const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/u;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;

/**
 * Lists what kcp would refuse in a projected CRD (spec/api-syncagent.md §3.2), without a request. Only kcp checks
 * whether schemas are structural.
 */
export function refusalsOfKcp(crd: CustomResourceDefinition): readonly ProjectionProblem[] {
  const { names, versions } = crd.spec;
  return [
    ...groupProblems(crd),
    ...kindProblems(names),
    ...wordProblems('shortNames', names.shortNames),
    ...wordProblems('categories', names.categories),
    ...versions.flatMap(versionProblems),
  ];
}

function groupProblems({ metadata, spec: { group, names } }: CustomResourceDefinition): readonly ProjectionProblem[] {
  const resource = group === '' ? names.plural : `${names.plural}.${group}`;
  const found = (code: ProjectionProblemCode, message: string): readonly ProjectionProblem[] => [
    { code, path: 'spec.projection.group', message },
  ];
  if (group === 'core') return found('Group', 'kcp does not allow the group core; the core API has the empty group');
  if (!shortGroups.has(group) && (!group.includes('.') || !subdomain.test(group) || group.length > 240))
    return found(
      'Group',
      `${JSON.stringify(group)} is not a group that kcp allows: it must be a DNS name with at least one dot`,
    );
  if (!needsIdentityHash({ group, resource: names.plural }))
    return found('ServedByKcp', `every workspace of kcp has ${resource} already; publish it in a group of your own`);
  if (isProtectedGroup(group) && (metadata.annotations?.[approvalAnnotation] ?? '') === '')
    return found(
      'NotApproved',
      `the group ${group} belongs to Kubernetes: kcp wants the annotation ${approvalAnnotation} on the CRD, or publish it in a group of your own`,
    );
  return [];
}

function kindProblems({ kind, listKind, plural, singular = '' }: Names): readonly ProjectionProblem[] {
  const problems: ProjectionProblem[] = [];
  const add = (field: 'kind' | 'plural', message: string): void => {
    problems.push({ code: 'Names', path: `spec.projection.${field}`, message });
  };
  for (const name of [kind, listKind ?? ''])
    if (!label.test(name.toLowerCase())) add('kind', `${JSON.stringify(name)} cannot be a kind`);
  if (listKind === kind) add('kind', `the kind and its list would both be called ${kind}`);
  if (!label.test(plural))
    add('plural', `${JSON.stringify(plural)} cannot be a plural: lower case letters, digits and dashes, at most 63`);
  if (!label.test(singular)) add('kind', `${JSON.stringify(singular)} cannot be a singular`);
  return problems;
}

/** Problems of a list of names. */
function wordProblems(field: string, words: readonly string[] | undefined): readonly ProjectionProblem[] {
  return (words ?? [])
    .filter((word) => !label.test(word))
    .map((word) => ({
      code: 'Names',
      path: `spec.projection.${field}`,
      message: `${JSON.stringify(word)} cannot be one of them: lower case letters, digits and dashes, at most 63`,
    }));
}

function versionProblems({ name, schema }: Version): readonly ProjectionProblem[] {
  const problems: ProjectionProblem[] = [];
  if (!versionNamePattern.test(name))
    problems.push({
      code: 'VersionName',
      path: 'spec.projection.versions',
      message: `kcp does not allow the version name ${JSON.stringify(name)}; map it to one such as v1 or v1beta1`,
    });
  if (schema?.openAPIV3Schema === undefined)
    problems.push({ code: 'Schema', path: 'spec.resource.versions', message: `version ${name} has no schema` });
  return problems;
}

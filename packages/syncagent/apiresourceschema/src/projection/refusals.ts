import type { CustomResourceDefinition } from '@hawser/crd';
import { approvalAnnotation, isProtectedGroup, needsIdentityHash, versionNamePattern } from '@hawser/kcp-api';
import type { ProjectionProblem, ProjectionProblemCode } from './projection-error.js';

const shortGroups = new Set(['', 'apps', 'batch', 'extensions', 'policy', 'autoscaling']);
const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/u;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;

/** What kcp would refuse of a projected CRD (spec/api-syncagent.md §3.2), said before it is asked. Whether schemas are structural, only kcp tells. */
export function refusalsOfKcp({ metadata, spec }: CustomResourceDefinition): readonly ProjectionProblem[] {
  const problems: ProjectionProblem[] = [];
  const add = (code: ProjectionProblemCode, path: string, message: string): void => {
    problems.push({ code, path, message });
  };
  const { group, names, versions } = spec;
  const resource = group === '' ? names.plural : `${names.plural}.${group}`;

  if (group === 'core')
    add('Group', 'spec.projection.group', 'kcp does not allow the group core; the core API has the empty group');
  else if (!shortGroups.has(group) && (!group.includes('.') || !subdomain.test(group) || group.length > 240)) {
    add(
      'Group',
      'spec.projection.group',
      `${JSON.stringify(group)} is no group that kcp allows: it must be a DNS name with at least one dot`,
    );
  } else if (!needsIdentityHash({ group, resource: names.plural })) {
    add(
      'ServedByKcp',
      'spec.projection.group',
      `every workspace of kcp has ${resource} already; publish it in a group of your own`,
    );
  } else if (isProtectedGroup(group) && (metadata.annotations?.[approvalAnnotation] ?? '') === '') {
    const message = `the group ${group} belongs to Kubernetes: kcp wants the annotation ${approvalAnnotation} on the CRD, or publish it in a group of your own`;
    add('NotApproved', 'spec.projection.group', message);
  }

  for (const [path, name] of [
    ['kind', names.kind],
    ['kind', names.listKind ?? ''],
  ] as const) {
    if (!label.test(name.toLowerCase()))
      add('Names', `spec.projection.${path}`, `${JSON.stringify(name)} cannot be a kind`);
  }
  if (names.listKind === names.kind)
    add('Names', 'spec.projection.kind', `the kind and its list would both be called ${names.kind}`);
  if (!label.test(names.plural))
    add(
      'Names',
      'spec.projection.plural',
      `${JSON.stringify(names.plural)} cannot be a plural: lower case letters, digits and dashes, at most 63`,
    );
  if (!label.test(names.singular ?? ''))
    add('Names', 'spec.projection.kind', `${JSON.stringify(names.singular ?? '')} cannot be a singular`);
  for (const [path, list] of [
    ['shortNames', names.shortNames],
    ['categories', names.categories],
  ] as const) {
    for (const name of list ?? [])
      if (!label.test(name))
        add(
          'Names',
          `spec.projection.${path}`,
          `${JSON.stringify(name)} cannot be one of them: lower case letters, digits and dashes, at most 63`,
        );
  }

  for (const { name, schema } of versions) {
    if (!versionNamePattern.test(name))
      add(
        'VersionName',
        'spec.projection.versions',
        `kcp does not allow the version name ${JSON.stringify(name)}; map it to one such as v1 or v1beta1`,
      );
    if (schema?.openAPIV3Schema === undefined) add('Schema', 'spec.resource.versions', `version ${name} has no schema`);
  }
  return problems;
}

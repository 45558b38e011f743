import type { FunctionMap } from '@hawser/gotemplate';
import { type Compilation, Findings } from './compilation.js';
import { compileMutations } from './mutation/index.js';
import { compileRelated, labelMatcher } from './related/index.js';
import {
  type LabelSelector,
  type PublishedResource,
  type PublishedResourceSpec,
  hawserAnnotations,
  reviewSpec,
} from '@hawser/syncagent-api';
import { compileNaming } from './naming/index.js';

import type { AdoptionPolicy } from './observed.js';
import type { PublishedKinds } from './published.js';
import type { Rules } from './rules.js';

export interface CompileOptions {
  /** Functions for templates: {@link agentFunctions}. */
  readonly functions: FunctionMap;
  readonly kinds: PublishedKinds;
}

/**
 * Compiles all rules of a PublishedResource about its objects. Reports all problems at once, each with the path of its
 * field, before any object is touched.
 */
export function compileRules(spec: PublishedResourceSpec, options: CompileOptions): Compilation<Rules> {
  const compiled = compileParts(spec, options);
  const found = compiled.kind === 'compiled' ? compiled.warnings : compiled.findings;
  // A compiler's finding about a field is more precise.
  const reportedPaths = new Set(found.map(({ path }) => path));
  const findings = [...found, ...reviewSpec(spec).filter(({ path }) => !reportedPaths.has(path))];
  return compiled.kind === 'refused' || findings.some(({ severity }) => severity === 'error')
    ? { kind: 'refused', findings }
    : { ...compiled, warnings: findings };
}

function compileParts(
  { naming, mutation, related, filter, enableWorkspacePaths }: PublishedResourceSpec,
  { functions, kinds }: CompileOptions,
): Compilation<Rules> {
  const findings = new Findings();
  const compiledNaming = findings.take(compileNaming(naming, { functions, localScope: kinds.service.scope }));
  const mutations = findings.take(compileMutations(mutation, { functions }));
  const rules = findings.take(compileRelated(related, { functions }));
  if (filter?.namespace !== undefined && kinds.kcp.scope === 'Cluster')
    findings.warning(
      'spec.filter.namespace',
      'is compared with no labels at all, because objects of this kind are in no namespace',
    );
  const steps = (mutation?.spec ?? []).length + (mutation?.status ?? []).length;
  return findings.conclude({
    // Never called after a refusal.
    naming: compiledNaming ?? (() => ({ name: '', namespace: undefined })),
    mutations: steps === 0 ? undefined : mutations,
    related: rules ?? [],
    filter: { resource: matcherOf(filter?.resource), namespace: matcherOf(filter?.namespace) },
    workspacePaths: enableWorkspacePaths ?? false,
  });
}

/**
 * The adoption policy in the annotation `hawser.dev/adoption` of the PublishedResource. `otherwise`: for a missing or
 * invalid value.
 */
export function adoptionOf(
  { metadata }: Pick<PublishedResource, 'metadata'>,
  otherwise: AdoptionPolicy,
): AdoptionPolicy {
  const policy = metadata.annotations?.[hawserAnnotations.adoption];
  return policy === 'refuse' || policy === 'adopt' || policy === 'overwrite' ? policy : otherwise;
}

function matcherOf(
  selector: LabelSelector | undefined,
): ((labels: Readonly<Record<string, string>>) => boolean) | undefined {
  return selector === undefined ? undefined : labelMatcher(selector);
}

import type { Problem } from '@hawser/crd';
import type { LabelSelector } from './kinds/label-selector.js';
import type { ResourceMutation, ResourceMutationSpec } from './kinds/mutation.js';
import type { PublishedResourceSpec } from './kinds/published-resource.js';
import type { RelatedObjectSpec, RelatedResource } from './kinds/related-resource.js';

/**
 * A problem in a spec that the API server admits. `error`: no agent can work with it; the Go agent fails object by
 * object. `warning`: it works, but part of it has no effect.
 */
export interface Finding extends Problem {
  readonly severity: 'error' | 'warning';
}

/**
 * Problems in a spec that is valid for the API server, without looking at any cluster: selectors of versions that
 * exclude each other, empty or ambiguous steps and rules, identifiers that collide. Does not check expressions,
 * templates and patterns; their compilers do.
 */
export function reviewSpec(spec: PublishedResourceSpec): readonly Finding[] {
  const findings: Finding[] = [];
  const { resource, projection, filter, mutation, related = [] } = spec;
  const add = (severity: Finding['severity'], path: string, message: string): void => {
    findings.push({ severity, path, message });
  };
  if (resource.kind === '') add('error', 'spec.resource.kind', 'is empty');
  if (!isEmpty(resource.version) && (resource.versions?.length ?? 0) > 0)
    add('error', 'spec.resource', 'has version and versions; only one of them may be set');
  if (!isEmpty(projection?.version) && Object.keys(projection?.versions ?? {}).length > 0) {
    add('warning', 'spec.projection', 'has version and versions; versions does not count');
  }
  reviewSelector(filter?.resource, 'spec.filter.resource', add);
  reviewSelector(filter?.namespace, 'spec.filter.namespace', add);
  reviewMutations(mutation, 'spec.mutation', add);
  const seen = new Map<string, number>();
  for (const [index, entry] of related.entries()) {
    const path = `spec.related[${index}]`;
    const first = seen.get(entry.identifier);
    if (first !== undefined) add('error', `${path}.identifier`, `is that of spec.related[${first}], too`);
    seen.set(entry.identifier, first ?? index);
    reviewRelated(entry, path, add);
  }
  return findings;
}

type Add = (severity: Finding['severity'], path: string, message: string) => void;

function reviewRelated(entry: RelatedResource, path: string, add: Add): void {
  // With its index, the identifier is the name part of an annotation.
  if (!/^[A-Za-z0-9]([A-Za-z0-9._-]{0,48}[A-Za-z0-9])?$/u.test(entry.identifier)) {
    add(
      'error',
      `${path}.identifier`,
      'cannot stand in the name of an annotation: letters, digits, dots and dashes, at most 50',
    );
  }
  if (entry.kind === undefined && (isEmpty(entry.version) || isEmpty(entry.resource)))
    add('error', path, 'version and resource must not be empty');
  reviewObject(entry.object, `${path}.object`, add);
  if (entry.object.namespace !== undefined) reviewObject(entry.object.namespace, `${path}.object.namespace`, add);
  reviewMutations(entry.mutation, `${path}.mutation`, add);
  reviewSelector(entry.watch?.bySelector, `${path}.watch.bySelector`, add);
  if (entry.cleanup === true && entry.origin === 'kcp')
    add('warning', `${path}.cleanup`, 'has no effect where the origin is kcp: such copies always go');
}

function reviewObject({ reference, selector, template }: RelatedObjectSpec, path: string, add: Add): void {
  exactlyOne({ reference, selector, template }, path, add);
  if (reference?.path === '') add('error', `${path}.reference.path`, 'is empty');
  if (selector === undefined) return;
  reviewSelector(selector, `${path}.selector`, add);
  const { regex, template: rewritten } = selector.rewrite;
  exactlyOne({ regex, template: rewritten }, `${path}.selector.rewrite`, add);
}

function reviewMutations(mutation: ResourceMutationSpec | undefined, path: string, add: Add): void {
  for (const part of ['spec', 'status'] as const) {
    for (const [index, step] of (mutation?.[part] ?? []).entries())
      reviewMutation(step, `${path}.${part}[${index}]`, add);
  }
}

function reviewMutation({ delete: remove, regex, template, cel }: ResourceMutation, path: string, add: Add): void {
  exactlyOne({ delete: remove, regex, template, cel }, path, add);
}

/** `fields` in order of precedence. */
function exactlyOne(fields: Readonly<Record<string, unknown>>, path: string, add: Add): void {
  const names = Object.keys(fields);
  const [first, ...others] = names.filter((name) => fields[name] !== undefined);
  if (first === undefined) add('error', path, `needs one of ${names.join(', ')}`);
  else if (others.length > 0) add('warning', path, `only ${first} counts, not ${others.join(' and ')}`);
}

function reviewSelector(selector: LabelSelector | undefined, path: string, add: Add): void {
  for (const [index, { operator, values = [] }] of (selector?.matchExpressions ?? []).entries()) {
    const field = `${path}.matchExpressions[${index}]`;
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0) add('error', `${field}.values`, `must not be empty with ${operator}`);
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0) add('error', `${field}.values`, `must be empty with ${operator}`);
        break;
      default:
        add('error', `${field}.operator`, 'must be one of In, NotIn, Exists, DoesNotExist');
    }
  }
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}

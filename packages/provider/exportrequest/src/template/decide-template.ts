import {
  type APIServiceExportTemplate,
  type Collection,
  type Condition,
  conditionReasons,
  conditionTypes,
  type Conditions,
  type Instant,
  markFalse,
  markTrue,
  resourceGroupName,
  setSummary,
  wantsApproval,
} from '@hawser/kube-bind';
import type { SourceSchema } from '../source-schema.js';
import { claimProblem, versionProblem } from '../validate-request.js';
import type { AdmissionMode } from './admission.js';
import { ownReasons, reportTemplateProblem, templateConditions, type TemplateProblem } from './template-problem.js';

/** One template, the CRDs that it names, and other templates with the same resources. A snapshot. */
export interface ObservedTemplate {
  readonly template: APIServiceExportTemplate;
  /** The exported CRDs among its resources, by {@link resourceGroupName}. */
  readonly sources: ReadonlyMap<string, SourceSchema>;
  /** Resource → other templates that offer it. */
  readonly others: ReadonlyMap<string, readonly string[]>;
  /** How requests are admitted. */
  readonly admission: AdmissionMode;
}

/**
 * The wanted conditions of a template; undefined: no change. A template without problems is not written, so taking over
 * an existing catalogue costs no write. Pure; `now` only dates conditions.
 */
export function decideTemplate(
  { template, sources, others, admission }: ObservedTemplate,
  now: Instant,
): Conditions | undefined {
  const current = template.status?.conditions ?? [];
  const problems = [schemaProblem(template, sources) ?? approvalProblem(template, admission), claimsOf(template)]
    .filter((problem) => problem !== undefined)
    .map(reportTemplateProblem);
  const shared = template.spec.resources.flatMap((resource) => {
    const name = resourceGroupName(resource);
    const by = others.get(name) ?? [];
    return by.length === 0 ? [] : [`${name} (${by.join(', ')})`];
  });
  if (current.length === 0 && problems.length === 0 && shared.length === 0) return undefined;
  let conditions: Conditions = current;
  for (const type of [templateConditions.offerable, conditionTypes.permissionClaim]) {
    const problem = problems.find((one) => one.type === type);
    conditions =
      problem === undefined
        ? markTrue(conditions, type, now)
        : markFalse(conditions, type, problem.reason, problem.severity, problem.message, now);
  }
  conditions =
    shared.length === 0
      ? markTrue(conditions, templateConditions.unique, now)
      : // No severity: there may be good reasons, such as other claims, and Ready does not suffer.
        markFalse(
          conditions,
          templateConditions.unique,
          ownReasons.offeredTwice,
          '',
          `Other templates offer the same: ${shared.join('; ')}. A request is granted under the first by name that covers it and that its consumer may bind. If that is not meant, take the resource out of one.`,
          now,
        );
  return changed(current, setSummary(conditions, now));
}

/** The same for a collection: whether each of its templates exists. */
export function decideCollection(
  collection: Collection,
  exists: (template: string) => boolean,
  now: Instant,
): Conditions | undefined {
  const current = collection.status?.conditions ?? [];
  const missing = [...new Set(collection.spec.templates.map(({ name }) => name))].filter((name) => !exists(name));
  if (current.length === 0 && missing.length === 0) return undefined;
  const type = templateConditions.templatesFound;
  const conditions =
    missing.length === 0
      ? markTrue(current, type, now)
      : markFalse(
          current,
          type,
          conditionReasons.templateNotFound,
          'Error',
          `There is no APIServiceExportTemplate ${missing.join(', ')}. Make it, or take the name out of the collection; the other templates of it can be bound.`,
          now,
        );
  return changed(current, setSummary(conditions, now));
}

/** Conditions in an unchanged state keep their entries. */
function changed(current: readonly Condition[], wanted: Conditions): Conditions | undefined {
  return wanted.length === current.length && wanted.every((condition) => current.includes(condition))
    ? undefined
    : wanted;
}

function approvalProblem(template: APIServiceExportTemplate, admission: AdmissionMode): TemplateProblem | undefined {
  return admission === 'Exported' && wantsApproval(template) ? { kind: 'approvalNotAsked' } : undefined;
}

function claimsOf({ spec }: APIServiceExportTemplate): TemplateProblem | undefined {
  return claimProblem(spec.permissionClaims ?? []);
}

function schemaProblem(
  { spec }: APIServiceExportTemplate,
  sources: ReadonlyMap<string, SourceSchema>,
): TemplateProblem | undefined {
  const missing = [...new Set(spec.resources.map(resourceGroupName).filter((name) => !sources.has(name)))];
  if (missing.length > 0) return { kind: 'schemaNotFound', names: missing };
  const scopes = new Map<string, string>();
  for (const resource of spec.resources) {
    const name = resourceGroupName(resource);
    const source = sources.get(name);
    if (source === undefined) continue;
    if (source.kind === 'unusable') return { kind: 'schemaUnusable', name, message: source.message };
    if (source.serving.kind === 'refused') return { kind: 'schemaUnserved', name, message: source.serving.message };
    const problem = versionProblem(name, resource.versions ?? [], source);
    if (problem !== undefined) return problem;
    scopes.set(name, source.scope);
  }
  const [scope, ...rest] = new Set(scopes.values());
  if (rest.length > 0)
    return { kind: 'differentScopes', scopes: [...scopes].map(([name, one]) => ({ name, scope: one })) };
  return scope === undefined || scope === spec.scope ? undefined : { kind: 'otherScope', declared: spec.scope, scope };
}

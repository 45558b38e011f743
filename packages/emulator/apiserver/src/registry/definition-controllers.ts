import type { JsonObject } from '@hawser/json';
import { equal } from '@hawser/json';
import { field, objectField, objectsField, stringField, stringsField, withAt } from '../object/json.js';
import { isDeleting, metaOf, withMeta } from '../object/meta.js';
import type { ObjectChange, Objects } from '../parts.js';
import { StatusError } from '../status.js';
import { CLEANUP_FINALIZER, type Condition, withCondition } from './builtin/crd.js';
import { conditionsOf, hasCondition } from './custom/definition.js';

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

export interface DefinitionControllersOptions {
  readonly objects: Objects;
  now(): string;
  /** Runs in a later turn. */
  defer(task: () => void, delayMs?: number): { cancel(): void };
}

/**
 * The API server's own work on CRDs (apiextensions `controller/status`, `establish` and `finalizer`): accepts their
 * names, establishes them, and deletes their objects before they go.
 */
export class DefinitionControllers {
  readonly #options: DefinitionControllersOptions;
  readonly #queued = new Set<string>();
  #subscription: Disposable | undefined;

  constructor(options: DefinitionControllersOptions) {
    this.#options = options;
  }

  start(): void {
    const { objects } = this.#options;
    this.#subscription = objects.onChange((change) => {
      this.#onChange(change);
    });
    this.enqueueAll();
  }

  stop(): void {
    this.#subscription?.[Symbol.dispose]();
  }

  /** Call after the state was replaced. */
  enqueueAll(): void {
    for (const crd of this.#options.objects.list(DEFINITIONS)) this.#enqueue(metaOf(crd).name ?? '');
  }

  #onChange(change: ObjectChange): void {
    if (change.resource.group === DEFINITIONS.group && change.resource.resource === DEFINITIONS.resource) {
      this.#enqueue(change.key.name);
      if (change.type !== 'ADDED') this.#enqueueGroup(change.object);
    } else if (change.type === 'DELETED') {
      // The last object of a deleted CRD.
      const name = `${change.resource.resource}.${change.resource.group}`;
      const crd = this.#options.objects.get(DEFINITIONS, { namespace: '', name });
      if (crd !== undefined && isDeleting(crd)) this.#enqueue(name);
    }
  }

  /** Another CRD may wait for a name that has become free. */
  #enqueueGroup(changed: JsonObject): void {
    const group = groupOf(changed);
    for (const crd of this.#options.objects.list(DEFINITIONS)) {
      if (groupOf(crd) === group && !hasCondition(crd, 'NamesAccepted')) this.#enqueue(metaOf(crd).name ?? '');
    }
  }

  #enqueue(name: string): void {
    if (this.#queued.has(name)) return;
    this.#queued.add(name);
    this.#options.defer(() => {
      this.#queued.delete(name);
      this.#sync(name);
    });
  }

  #sync(name: string): void {
    const crd = this.#options.objects.get(DEFINITIONS, { namespace: '', name });
    if (crd === undefined) return;
    try {
      if (isDeleting(crd) && (metaOf(crd).finalizers ?? []).includes(CLEANUP_FINALIZER)) this.#finalize(crd);
      else this.#accept(crd);
    } catch (error) {
      // Changed or gone in the meantime: that change has queued it again.
      if (!(error instanceof StatusError) || (error.code !== 409 && error.code !== 404)) throw error;
    }
  }

  #update(crd: JsonObject): JsonObject {
    return this.#options.objects.update(DEFINITIONS, crd, { subresource: 'status', fieldManager: 'kube-apiserver' });
  }

  #accept(crd: JsonObject): void {
    const now = this.#options.now();
    let next = crd;
    if (!equal(wantedNames(crd), acceptedNames(crd)) || conditionsOf(crd).length === 0) {
      const { names, condition } = this.#namesOf(crd);
      next = withCondition(withAt(crd, ['status', 'acceptedNames'], names), condition, now);
      if (!hasCondition(next, 'Established')) {
        next = withCondition(next, condition.status === 'True' ? INSTALLING : NOT_ACCEPTED, now);
      }
      if (!equal(withoutTimes(next), withoutTimes(crd))) {
        this.#update(next);
        return;
      }
    }
    if (hasCondition(crd, 'NamesAccepted') && !hasCondition(crd, 'Established')) {
      this.#update(withCondition(crd, ESTABLISHED, now));
      return;
    }
    const approval = approvalOf(crd);
    if (approval === undefined) return;
    next = withCondition(crd, approval, now);
    if (!equal(withoutTimes(next), withoutTimes(crd))) this.#update(next);
  }

  #namesOf(crd: JsonObject): { readonly names: JsonObject; readonly condition: Condition } {
    const wanted = wantedNames(crd);
    const accepted = acceptedNames(crd);
    const used = this.#usedNames(crd);
    const names: Record<string, JsonObject[string]> = { ...accepted };
    let conflict: { readonly reason: string; readonly message: string } | undefined;
    const claim = (
      key: 'plural' | 'singular' | 'kind' | 'listKind',
      taken: ReadonlySet<string>,
      reason: string,
    ): void => {
      const name = stringField(wanted, key);
      if (name !== stringField(accepted, key) && taken.has(name))
        conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
      else names[key] = name;
    };
    claim('plural', used.resources, 'PluralConflict');
    claim('singular', used.resources, 'SingularConflict');
    const own = stringsField(accepted, 'shortNames');
    const taken = stringsField(wanted, 'shortNames').filter((name) => !own.includes(name) && used.resources.has(name));
    if (taken.length === 0) names['shortNames'] = field(wanted, 'shortNames');
    else
      conflict = {
        reason: 'ShortNamesConflict',
        message: aggregate(taken.map((name) => `${JSON.stringify(name)} is already in use`)),
      };
    claim('kind', used.kinds, 'KindConflict');
    claim('listKind', used.kinds, 'ListKindConflict');
    names['categories'] = field(wanted, 'categories');
    for (const key of ['shortNames', 'categories']) if (names[key] === undefined) Reflect.deleteProperty(names, key);
    const condition: Condition =
      conflict === undefined ? ACCEPTED : { type: 'NamesAccepted', status: 'False', ...conflict };
    return { names: names, condition };
  }

  #usedNames(crd: JsonObject): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
    const resources = new Set<string>();
    const kinds = new Set<string>();
    for (const other of this.#options.objects.list(DEFINITIONS)) {
      if (groupOf(other) !== groupOf(crd)) continue;
      const names = acceptedNames(other);
      for (const name of [
        stringField(names, 'plural'),
        stringField(names, 'singular'),
        ...stringsField(names, 'shortNames'),
      ])
        resources.add(name);
      for (const name of [stringField(names, 'kind'), stringField(names, 'listKind')]) kinds.add(name);
    }
    return { resources, kinds };
  }

  #finalize(crd: JsonObject): void {
    const now = this.#options.now();
    const { objects } = this.#options;
    const marked = withCondition(crd, IN_PROGRESS, now);
    const current = equal(withoutTimes(marked), withoutTimes(crd)) ? crd : this.#update(marked);
    let done = NEVER_ESTABLISHED;
    if (hasCondition(crd, 'Established')) {
      const resource = { group: groupOf(crd), resource: stringField(acceptedNames(crd), 'plural') };
      for (const object of objects.list(resource)) {
        const { namespace = '', name = '' } = metaOf(object);
        if (!isDeleting(object)) objects.delete(resource, { namespace, name });
      }
      // Objects with finalizers go later; their deletion triggers this again.
      if (objects.list(resource).length > 0) return;
      done = COMPLETED;
    }
    const finalizers = (metaOf(current).finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    this.#update(withMeta(withCondition(current, done, now), { finalizers }));
  }
}

const ACCEPTED: Condition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};
const INSTALLING: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};
const NOT_ACCEPTED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const IN_PROGRESS: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const NEVER_ESTABLISHED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

const APPROVAL = 'api-approved.kubernetes.io';
const PROTECTED = /(?:^|\.)(?:k8s|kubernetes)\.io$/u;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Groups of Kubernetes require an approval annotation. */
function approvalOf(crd: JsonObject): Condition | undefined {
  if (!PROTECTED.test(groupOf(crd))) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const annotation = metaOf(crd).annotations?.[APPROVAL] ?? '';
  const must = `protected groups must have approval annotation ${JSON.stringify(APPROVAL)}`;
  if (annotation === '') return { type, status: 'False', reason: 'MissingAnnotation', message: `${must}, ${SEE}` };
  if (annotation.startsWith('unapproved'))
    return {
      type,
      status: 'False',
      reason: 'UnapprovedAnnotation',
      message: `not approved: ${JSON.stringify(annotation)}`,
    };
  if (URL.canParse(annotation) && new URL(annotation).host !== '')
    return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${annotation}` };
  return {
    type,
    status: 'False',
    reason: 'InvalidAnnotation',
    message: `${must} with either a URL or a reason starting with "unapproved", ${SEE}`,
  };
}

const groupOf = (crd: JsonObject): string => stringField(objectField(crd, 'spec'), 'group');
const wantedNames = (crd: JsonObject): JsonObject => objectField(objectField(crd, 'spec'), 'names') ?? {};
const acceptedNames = (crd: JsonObject): JsonObject => objectField(objectField(crd, 'status'), 'acceptedNames') ?? {};

function withoutTimes(crd: JsonObject): JsonObject {
  const conditions = objectsField(objectField(crd, 'status'), 'conditions').map((condition) => ({
    ...condition,
    lastTransitionTime: null,
  }));
  return withAt(crd, ['status', 'conditions'], conditions);
}

function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

import { type AdmissionPlugin, type AdmittedWrite, StatusError, forbidden } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { hawserAnnotations } from '@hawser/kube-bind';
import { NAMES } from './names.js';

/** Effects of a cluster's webhooks on objects of bound APIs, for all writers through its API server. */
export const admissionFaults = [
  /** Removes our annotations, or some of them. */
  'strips-annotations',
  /** Prevents the addition of the konnector's finalizer. */
  'strips-finalizer',
  /** Adds a label of its own. */
  'sets-label',
  /** Refuses every write. */
  'denies',
  /** Does not answer, which fails all writes. */
  'is-down',
] as const;
/** `sets-field`: sets a field of the spec at each write of an object without it. */
export type AdmissionFault = (typeof admissionFaults)[number] | 'sets-field';

const OURS = 'hawser.dev/';
const FINALIZERS: ReadonlySet<string> = new Set(['kubebind.io/syncer', 'core.kbind.io/syncer']);
const WEBHOOK = 'objects.policy.example.com';

/** The current webhooks of a cluster. */
export class Webhooks implements AdmissionPlugin {
  readonly #faults: AdmissionFault[] = [];
  #isShared: (object: JsonObject) => boolean = () => false;
  readonly #isAdmitted: (resource: AdmittedWrite['resource']) => boolean;
  readonly #isStripped: (resource: AdmittedWrite['resource'], annotation: string) => boolean;

  /**
   * @param isAdmitted whose objects they look at
   * @param isStripped which of our annotations they remove
   */
  constructor(
    isAdmitted: (resource: AdmittedWrite['resource']) => boolean = ({ group, resource }) =>
      NAMES.bindings.some((binding) => binding.group === group && binding.plural === resource),
    isStripped: (resource: AdmittedWrite['resource'], annotation: string) => boolean = () => true,
  ) {
    this.#isAdmitted = isAdmitted;
    this.#isStripped = isStripped;
  }

  /** Whether annotations are removed now. */
  get strips(): boolean {
    return this.#has('strips-annotations');
  }

  /**
   * Keeps the cluster note of copies that two clusters with one kubeconfig want. Without it, a copy is like one of a Go
   * konnector, and goes to the cluster with an object in its place: nothing then shows its owner
   * (docs/reference/limits.md). Removes all our other annotations from these copies, and the note from all other
   * copies.
   */
  keepClusterOn(isShared: (object: JsonObject) => boolean): void {
    this.#isShared = isShared;
  }

  add(fault: AdmissionFault): void {
    this.#faults.push(fault);
  }

  remove(fault: AdmissionFault): void {
    const index = this.#faults.indexOf(fault);
    if (index >= 0) this.#faults.splice(index, 1);
  }

  mutate(write: AdmittedWrite): JsonObject {
    if (this.#faults.length === 0 || !this.#means(write)) return write.object;
    if (this.#has('is-down'))
      throw new StatusError(
        500,
        'InternalError',
        `Internal error occurred: failed calling webhook "${WEBHOOK}": failed to call webhook: Post "https://policy.policies.svc:443/": dial tcp: connection refused`,
      );
    const {
      labels = {},
      annotations = {},
      finalizers = [],
      ...metadata
    } = write.object['metadata'] as Metadata & JsonObject;
    return {
      ...write.object,
      ...(this.#has('sets-field') && write.previous !== undefined
        ? { spec: { ...(write.object['spec'] as JsonObject), tier: 'standard' } }
        : {}),
      metadata: {
        ...metadata,
        labels: this.#has('sets-label') ? { ...labels, 'policy.example.com/seen': 'true' } : labels,
        annotations: this.#has('strips-annotations')
          ? Object.fromEntries(
              Object.entries(annotations).filter(
                ([key]) =>
                  !key.startsWith(OURS) ||
                  !this.#isStripped(write.resource, key) ||
                  (key === hawserAnnotations.consumerIdentity && this.#isShared(write.object)),
              ),
            )
          : annotations,
        finalizers:
          this.#has('strips-finalizer') && !hadFinalizer(write.previous)
            ? finalizers.filter((finalizer) => !FINALIZERS.has(finalizer))
            : [...finalizers],
      },
    };
  }

  validate(write: AdmittedWrite): void {
    if (!this.#has('denies') || !this.#means(write)) return;
    throw forbidden(
      write.resource,
      (write.object['metadata'] as Metadata).name ?? '',
      `admission webhook "${WEBHOOK}" denied the request: not on a working day`,
    );
  }

  /** Leaves out people and operators: they notice at once, and would only retry. */
  #means({ resource, subresource, user }: AdmittedWrite): boolean {
    return user !== undefined && subresource === '' && this.#isAdmitted(resource);
  }

  #has(fault: AdmissionFault): boolean {
    return this.#faults.includes(fault);
  }
}

interface Metadata {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

function hadFinalizer(previous: JsonObject | undefined): boolean {
  return (
    (previous?.['metadata'] as Metadata | undefined)?.finalizers?.some((finalizer) => FINALIZERS.has(finalizer)) ===
    true
  );
}

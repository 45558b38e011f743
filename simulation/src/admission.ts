import { type AdmissionPlugin, type AdmittedWrite, StatusError, forbidden } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { hawserAnnotations } from '@hawser/kube-bind';
import { NAMES } from './names.js';

/** What the webhooks of a cluster do to objects of the APIs that people bind, whoever writes them through its API server. */
export const admissionFaults = [
  /** Takes annotations of ours away. */
  'strips-annotations',
  /** Lets no finalizer of the konnector be added. */
  'strips-finalizer',
  /** Adds a label of its own. */
  'sets-label',
  /** Refuses every write. */
  'denies',
  /** Does not answer, and nothing is written without it. */
  'is-down',
] as const;
/** `sets-field`: gives a field of the spec a value, whenever an object is written that has none. */
export type AdmissionFault = (typeof admissionFaults)[number] | 'sets-field';

const OURS = 'hawser.dev/';
const FINALIZERS: ReadonlySet<string> = new Set(['kubebind.io/syncer', 'core.kbind.io/syncer']);
const WEBHOOK = 'objects.policy.example.com';

/** The webhooks that a cluster has at the moment. */
export class Webhooks implements AdmissionPlugin {
  readonly #faults: AdmissionFault[] = [];
  #isShared: (object: JsonObject) => boolean = () => false;
  readonly #isAdmitted: (resource: AdmittedWrite['resource']) => boolean;

  /** @param isAdmitted whose objects they look at */
  constructor(
    isAdmitted: (resource: AdmittedWrite['resource']) => boolean = ({ group, resource }) =>
      NAMES.bindings.some((binding) => binding.group === group && binding.plural === resource),
  ) {
    this.#isAdmitted = isAdmitted;
  }

  /**
   * Of copies that two clusters with one kubeconfig want, the note of the cluster stays. Without it a copy is like one of a Go konnector, which goes to whoever has an object in its place: nothing
   * is left then that tells whose it is (docs/reference/limits.md). All other annotations of ours go from these, too, and the note from all other copies.
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
                  !key.startsWith(OURS) || (key === hawserAnnotations.consumerIdentity && this.#isShared(write.object)),
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

  /** People and operators are not meant: they know at once, and would only try again. */
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

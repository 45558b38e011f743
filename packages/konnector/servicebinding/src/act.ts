import { ApiError, type ApiErrorCode, type Client, type KubeObject, isApiError } from '@hawser/client';
import { StaleError } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type APIServiceBinding, type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import type { ResourceResult } from './conclude.js';
import { sameCrdSpec } from './crd-difference.js';
import { refusal } from './decide-crd.js';
import { type ResourceAction, type Settled, resultOf } from './resource-action.js';
import { type Attempt, liveVersion } from './observed.js';
import type { WantedCRD } from './wanted-crd.js';

export interface Actor {
  readonly consumer: Client;
  readonly crds: Pick<InformerHandle<KubeObject>, 'observe'>;
  readonly attempts: Map<string, Attempt>;
  readonly now: () => number;
  /** The API server accepted this CRD, and answered with another one. */
  readonly undone: (name: string) => void;
}

/** Results of the actions on one binding. */
export interface Acted {
  readonly results: readonly ResourceResult[];
  /** Errors to retry with back-off. */
  readonly errors: readonly unknown[];
}

/** Records a result, to avoid reading it again. */
export function note(memory: Pick<Actor, 'attempts' | 'now'>, action: Settled): void {
  if (action.kind === 'inStep') remember(memory, action.name, action.wanted, action.live, { kind: 'inStep' });
  // A hold without terms ends by itself: look at every event.
  if (action.kind === 'hold' && action.terms !== undefined)
    remember(
      memory,
      action.name,
      action.wanted,
      action.live,
      { kind: 'held', hold: action.hold, terms: action.terms },
      action.sinceMs,
    );
}

/**
 * Carries out the decisions about the resources of `binding`. Throws only if the snapshot was outdated: then look
 * again.
 */
export async function act(
  actor: Actor,
  binding: APIServiceBinding,
  actions: readonly ResourceAction[],
  signal: AbortSignal,
): Promise<Acted> {
  const results: ResourceResult[] = [];
  const errors: unknown[] = [];
  for (const action of actions) {
    switch (action.kind) {
      case 'inStep':
      case 'report':
      case 'hold':
        note(actor, action);
        results.push(resultOf(action));
        if (action.kind === 'report' && action.cause !== undefined) errors.push(action.cause);
        break;
      case 'lookAgain':
        throw new StaleError('StaleSnapshot', `CustomResourceDefinition ${action.name} is gone`);
      case 'createCRD':
      case 'updateCRD':
        try {
          const written = await write(actor, binding, action, signal);
          actor.crds.observe(written);
          if (action.kind === 'updateCRD' && action.interim !== undefined) {
            results.push({ kind: 'held', name: action.name, hold: action.interim });
            break;
          }
          // An API server that does not know all fields of a schema drops them. That is reported, and is no problem.
          if (!sameCrdSpec(written.spec, action.wanted.spec)) actor.undone(action.name);
          remember(actor, action.name, action.wanted, liveVersion(written), { kind: 'inStep' });
          results.push({ kind: 'inStep', name: action.name });
        } catch (error) {
          const failed = explain(error, action);
          // A repetition fails alike; a change may help.
          if (isApiError(error, 'Invalid', 'BadRequest', 'TooLarge'))
            remember(actor, action.name, action.wanted, action.live, failed);
          else errors.push(error);
          results.push({ kind: 'problem', name: action.name, problem: refusal(action.name, failed) });
        }
        break;
    }
  }
  return { results, errors };
}

async function write(
  { consumer }: Actor,
  binding: APIServiceBinding,
  action: Extract<ResourceAction, { kind: 'createCRD' | 'updateCRD' }>,
  signal: AbortSignal,
): Promise<CustomResourceDefinition> {
  if (action.kind === 'createCRD') {
    await assertBindingStands(consumer, binding, signal);
    return consumer.create<CustomResourceDefinition>(resources.customResourceDefinitions, action.crd, { signal });
  }
  // Replacing only `spec` keeps foreign metadata; the resourceVersion makes it a conflict if the CRD has changed.
  const operations = [
    { op: 'replace', path: '/metadata/resourceVersion', value: action.resourceVersion },
    { op: 'replace', path: '/spec', value: action.wanted.spec },
  ];
  return consumer.patch<CustomResourceDefinition>(
    resources.customResourceDefinitions,
    { name: action.name },
    { type: 'json', operations },
    { signal },
  );
}

/**
 * Reads the binding live: a CRD for a deleted binding would be collected at once, with the objects created in it
 * meanwhile.
 */
async function assertBindingStands(consumer: Client, binding: APIServiceBinding, signal: AbortSignal): Promise<void> {
  const { name, uid } = binding.metadata;
  const { metadata } = await consumer.get<KubeObject>(
    resources.apiServiceBindings,
    { name },
    { signal, representation: 'metadata' },
  );
  if (metadata.uid !== uid || metadata.deletionTimestamp !== undefined)
    throw new StaleError('StaleSnapshot', `APIServiceBinding ${name} is going`);
}

function explain(
  error: unknown,
  action: Extract<ResourceAction, { kind: 'createCRD' | 'updateCRD' }>,
): { kind: 'refused'; verb: 'create' | 'update'; message: string } {
  // A stale cache is no failure to report: its next event brings the key back.
  if (!(error instanceof ApiError) || outdated.has(error.code)) throw error;
  return { kind: 'refused', verb: action.kind === 'createCRD' ? 'create' : 'update', message: error.message };
}

const outdated: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>(['Conflict', 'NotFound', 'AlreadyExists', 'Aborted']);

function remember(
  actor: Pick<Actor, 'attempts' | 'now'>,
  name: string,
  wanted: WantedCRD,
  live: string,
  outcome: Attempt['outcome'],
  atMs: number = actor.now(),
): void {
  actor.attempts.set(name, { wantedHash: wanted.hash, live, atMs, outcome });
}

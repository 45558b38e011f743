import type { Decision as AnyDecision } from '@hawser/controller';
import {
  type Connection,
  type ConnectionStatus,
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  getCondition,
  type NewCondition,
  setCondition,
} from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import { equal } from '@hawser/json';
import type { CRDAction } from './crd-writes.js';
import { decideCRD } from './decide-api.js';
import type { APIObserved } from './observed.js';

/** Known state of an API that no binding installs. */
export interface PulledAPI extends Pick<APIObserved, 'name' | 'crd' | 'hold'> {
  /** The provider's CRD. */
  readonly provided: CustomResourceDefinition;
}

export interface PullObserved {
  /** Undefined: the Connection does not exist. */
  readonly connection: Connection | undefined;
  /** Whether every offered API is installed; `unknown`: the provider is unknown, or the Connection goes. */
  readonly pulls: 'all' | 'off' | 'unknown';
  readonly apis: readonly PulledAPI[];
  /** Names of CRDs that were installed for the Connection, and that no binding or pull policy needs any more. */
  readonly left: readonly string[];
  readonly now: number;
}

export type PullAction =
  CRDAction | { readonly type: 'writeStatus'; readonly connection: Connection; readonly condition: NewCondition };

/** On a Connection with pull policy `All`: whether every offered API is installed. */
const APIS_INSTALLED = 'APIsInstalled';
const LATER_MS = 30_000;

/**
 * Decides about the CRDs of a Connection. Pure. A waiting CRD does not block others. Deletes none: its objects belong
 * to users, and would go with it.
 */
export function decidePull({ connection, pulls, apis, left, now }: PullObserved): AnyDecision<PullAction> {
  if (connection === undefined || pulls === 'unknown') return { actions: [] };
  if (pulls === 'off') return switchedOff(connection, left, now);
  const verdicts = apis.map((api) => ({
    api,
    verdict: decideCRD({ ...api, abandoned: false }, api.provided, connection, 'own'),
  }));
  const steps = verdicts.flatMap(({ verdict }) =>
    verdict.kind === 'steps' ? verdict.actions.filter((action): action is CRDAction => isOfCRDs(action.type)) : [],
  );
  if (steps.length > 0) return { actions: steps };
  const waiting = verdicts.flatMap(({ api: { name, hold }, verdict }): { reason: string; message: string }[] => {
    if (verdict.kind === 'waits') return [{ reason: verdict.reason, message: verdict.message }];
    if (hold === undefined) return [];
    const approve =
      hold.hash === undefined
        ? ''
        : ` To let it through, annotate the Connection with hawser.dev/schema-approved=${hold.hash}.`;
    const message = `The changed schema of ${name} is held (${hold.reason}): ${hold.message}${approve}`;
    return [{ reason: hold.reason, message }];
  });
  const [first] = waiting;
  const words = waiting.map(({ message }) => message);
  const condition =
    first === undefined
      ? conditionTrue(APIS_INSTALLED, 'AsExpected', leftInWords('The provider does not offer', left))
      : conditionFalse(APIS_INSTALLED, first.reason, words.join(' '));
  return { ...report(connection, condition, now), ...(first === undefined ? {} : { requeueAfterMs: LATER_MS }) };
}

/** A Connection that never pulled everything gets no condition. */
function switchedOff(connection: Connection, left: readonly string[], now: number): AnyDecision<PullAction> {
  if (getCondition(connection.status?.conditions, APIS_INSTALLED) === undefined) return { actions: [] };
  const words = ['spec.schema.pullPolicy is not All.', leftInWords('No binding lists', left)].join(' ').trim();
  return report(connection, conditionUnknown(APIS_INSTALLED, 'SwitchedOff', words), now);
}

function report(connection: Connection, condition: NewCondition, now: number): AnyDecision<PullAction> {
  const status = connection.status ?? {};
  // Its controller reports the state of the Connection first.
  if (getCondition(status.conditions, 'Ready') === undefined) return { actions: [] };
  const isWritten = pulledStatus(status, connection, condition, now) === status;
  return { actions: isWritten ? [] : [{ type: 'writeStatus', connection, condition }] };
}

function leftInWords(why: string, left: readonly string[]): string {
  if (left.length === 0) return '';
  const names = left.join(' ');
  return `${why} ${left.join(', ')}: what was installed stays. To delete it with all objects: kubectl delete crd ${names}`;
}

/** The status with the condition; the same object if it changes nothing. */
export function pulledStatus(
  status: ConnectionStatus,
  { metadata }: Connection,
  condition: NewCondition,
  now: number,
): ConnectionStatus {
  const next = { ...status, conditions: setCondition(status.conditions, condition, metadata.generation, now) };
  return equal(status, next) ? status : next;
}

function isOfCRDs(type: string): boolean {
  return type === 'createCRD' || type === 'updateCRD' || type === 'markCRD';
}

import type { Decision as AnyDecision } from '@hawser/controller';
import {
  type Connection,
  type ConnectionStatus,
  conditionFalse,
  conditionTrue,
  getCondition,
  type NewCondition,
  setCondition,
} from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import { equal } from '@hawser/json';
import type { CRDAction } from './crd-writes.js';
import { decideCRD } from './decide-api.js';
import type { APIObserved } from './observed.js';

/** What is known of an API that no binding installs. */
export interface PulledAPI extends Pick<APIObserved, 'name' | 'crd' | 'hold'> {
  /** The provider's CRD. */
  readonly provided: CustomResourceDefinition;
}

export interface PullObserved {
  /** Undefined: there is none. */
  readonly connection: Connection | undefined;
  /** Its pull policy is `All`, and the provider is known. */
  readonly pullsAll: boolean;
  readonly apis: readonly PulledAPI[];
  readonly now: number;
}

export type PullAction =
  CRDAction | { readonly type: 'writeStatus'; readonly connection: Connection; readonly condition: NewCondition };

/** Of a Connection with pull policy `All`: whether everything that is offered is installed. */
const APIS_INSTALLED = 'APIsInstalled';
const LATER_MS = 30_000;

/** What to do about the CRDs of a Connection. Pure; one that waits holds up no other. */
export function decidePull({ connection, pullsAll, apis, now }: PullObserved): AnyDecision<PullAction> {
  if (connection === undefined || !pullsAll) return { actions: [] };
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
  const condition =
    first === undefined
      ? conditionTrue(APIS_INSTALLED, 'AsExpected')
      : conditionFalse(APIS_INSTALLED, first.reason, waiting.map(({ message }) => message).join(' '));
  const status = connection.status ?? {};
  // Its controller tells first how the Connection itself stands.
  if (getCondition(status.conditions, 'Ready') === undefined) return { actions: [] };
  const isWritten = pulledStatus(status, connection, condition, now) === status;
  return {
    actions: isWritten ? [] : [{ type: 'writeStatus', connection, condition }],
    ...(first === undefined ? {} : { requeueAfterMs: LATER_MS }),
  };
}

/** The status with the condition in it; the same one if it changes nothing. */
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

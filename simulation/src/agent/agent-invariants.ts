import type { JsonObject } from '@hawser/json';
import type { SimCluster } from '../sim-cluster.js';
import { OBJECTS } from './agent-plan.js';
import { CRONTABS, SECRETS, contentOf, itemOf } from './item.js';
import { KEPT, TAMPERED, TAMPERED_SECRET } from './meddling.js';
import type { WorkspaceUsers } from './workspace-users.js';

export interface Finding {
  readonly invariant: string;
  readonly what: string;
}

const FINALIZER = 'syncagent.kcp.io/cleanup';

/** Differences from the wishes of a workspace's users on either side, after enough time for everything. */
export function* agentInStep(users: WorkspaceUsers, service: SimCluster): Generator<Finding> {
  const { cluster, path } = users;
  if (!cluster.objects.serves(CRONTABS)) {
    yield { invariant: 'the API is served', what: path };
    return;
  }
  const copies = service.objects
    .list(CRONTABS, cluster.name)
    .map(itemOf)
    .filter(({ name }) => !name.startsWith(KEPT));
  for (let object = 0; object < OBJECTS; object++) {
    const value = users.wanted(object);
    const stored = cluster.objects.get(CRONTABS, { namespace: 'default', name: `object-${object}` });
    const original = stored === undefined ? undefined : itemOf(stored);
    const own = copies.filter((copy) => copy.object === object);
    const [inWorkspace, onService] = [
      secretIn(cluster.objects.get(SECRETS, { namespace: 'default', name: `connection-${object}` })),
      secretIn(service.objects.get(SECRETS, { namespace: cluster.name, name: `connection-${object}` })),
    ];
    const description = `object ${object} of ${path}`;
    if (value === undefined) {
      if (original !== undefined || (own.length > 0 && !users.isOrphan(object)))
        yield {
          invariant: 'deletions are done',
          what: `${description} is still there: ${original === undefined ? '' : 'the object '}${own.length} copies`,
        };
      if (
        (onService !== undefined && own.length === 0) ||
        (inWorkspace !== undefined && own.length === 0 && !users.maySecretStay(object))
      )
        yield {
          invariant: 'related objects go',
          what: `the Secret of ${description}: ${inWorkspace ?? ''} | ${onService ?? ''}`,
        };
      continue;
    }
    const [copy] = own;
    const isMeddled = users.mayDiffer(object, 'tamper') && copy?.value === value + TAMPERED;
    if (own.length !== 1 || copy === undefined || original?.value !== value || (copy.value !== value && !isMeddled)) {
      yield {
        invariant: 'specs are in step',
        what: `${description}: ${value} is wanted, ${original?.value} is there, copies have ${own.map((one) => one.value).join()}`,
      };
      continue;
    }
    if (original.status !== copy.value)
      yield { invariant: 'statuses are in step', what: `${description} says ${original.status}, not ${copy.value}` };
    else if (original.extras !== users.fields || (copy.extras !== users.fields && !isMeddled))
      yield {
        invariant: 'schemas are in step',
        what: `${description}: of ${users.fields} new fields it has ${original.extras}, its copy ${copy.extras}`,
      };
    else if (!original.finalizers.includes(FINALIZER))
      yield { invariant: 'objects are held', what: `${description} has no finalizer of the agent` };
    const content = contentOf(path, object, copy.value);
    const isOwn = users.mayDiffer(object, 'tamper-secret') && inWorkspace === TAMPERED_SECRET;
    if ((inWorkspace !== content && !isOwn && !users.maySecretDiffer(object)) || onService !== content)
      yield {
        invariant: 'related objects are in step',
        what: `${description}: ${inWorkspace ?? ''} | ${onService ?? ''}`,
      };
  }
}

function secretIn(secret: JsonObject | undefined): string | undefined {
  const content = (secret?.['data'] as { readonly content?: string } | undefined)?.content;
  return content === undefined ? undefined : Buffer.from(content, 'base64').toString();
}

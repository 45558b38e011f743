import { type Client, type KubeObject, getIfExists, objectKey } from '@hawser/client';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  annotations,
  isOwnedByBinding,
  resources,
  servedResource,
} from '@hawser/kube-bind';

import { needsObjects } from './decide.js';
import { listServed } from './live.js';
import type { ObjectLeft, Observed, ResourceLeft } from './observed.js';

/** Reads live what is left of the binding's resources; `crds` are the known CRDs of the cluster. */
export async function observe(
  client: Client,
  binding: APIServiceBinding,
  crds: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Observed> {
  if (!needsObjects(binding)) return { binding, left: [] };
  const left: ResourceLeft[] = [];
  for (const crd of crds) {
    if (!isOwnedByBinding(crd, binding)) continue;
    const live = await getIfExists<CustomResourceDefinition>(
      client,
      resources.customResourceDefinitions,
      { name: crd.metadata.name },
      { signal },
    );
    if (live !== undefined && isOwnedByBinding(live, binding)) left.push(await readLeft(client, live, signal));
  }
  return { binding, left };
}

/** The objects of one CRD. */
async function readLeft(client: Client, crd: CustomResourceDefinition, signal: AbortSignal): Promise<ResourceLeft> {
  const resource = servedResource(crd.spec);
  const objects =
    resource === undefined
      ? []
      : await listServed<KubeObject>(client, resource, { representation: 'metadata', signal });
  return {
    crd: { name: crd.metadata.name, uid: crd.metadata.uid, deleting: crd.metadata.deletionTimestamp !== undefined },
    resource,
    objects: objects.map(leftOf),
  };
}

function leftOf(object: KubeObject): ObjectLeft {
  const { namespace, name, uid, deletionTimestamp, finalizers = [], annotations: notes = {} } = object.metadata;
  const copyUid = notes[annotations.providerUID];
  return {
    name: objectKey(object),
    key: { name, ...(namespace === undefined ? {} : { namespace }) },
    uid,
    deletingSince: deletionTimestamp,
    finalizers,
    copy: copyUid === undefined ? undefined : `${notes[annotations.providerNamespace] ?? ''}/${copyUid}`,
  };
}

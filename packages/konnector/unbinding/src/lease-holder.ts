import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import { type Clock, sleep } from '@hawser/clock';
import { resources } from '@hawser/kube-bind';

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string | null } | undefined;
}

/** State of the konnector's Lease. */
export interface LeaseReading {
  readonly uid: string | undefined;
  /** The renewing holder; undefined: the Lease is not renewed. */
  readonly holder: string | undefined;
}

/** More than twice the renewal interval of a konnector. */
const WATCHED_MS = 5_000;
const STEP_MS = 500;

/** Watches the Lease long enough to see a renewal: other clocks prove nothing. Undefined: there is no Lease. */
export async function readLease(
  client: Client,
  { namespace, name }: LeaseName,
  clock: Clock,
  signal: AbortSignal,
): Promise<LeaseReading | undefined> {
  const read = (): Promise<Lease | undefined> =>
    getIfExists<Lease>(client, resources.leases, { namespace, name }, { signal });
  const first = await read();
  if (first === undefined) return undefined;
  const { uid } = first.metadata;
  const until = clock.monotonic() + WATCHED_MS;
  for (let lease: Lease | undefined = first; isHeld(lease) && clock.monotonic() < until; lease = await read()) {
    if (lease.metadata.resourceVersion !== first.metadata.resourceVersion)
      return { uid, holder: lease.spec.holderIdentity };
    await sleep(clock, STEP_MS, signal);
  }
  return { uid, holder: undefined };
}

function isHeld(lease: Lease | undefined): lease is Lease & { readonly spec: { readonly holderIdentity: string } } {
  return (lease?.spec?.holderIdentity ?? '') !== '';
}

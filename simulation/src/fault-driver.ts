import type { Fault } from './fault.js';
import { describeFault } from './fault.js';
import { heldByAnother } from './stolen-lease.js';
import type { World } from './world.js';

const LEASES = { group: 'coordination.k8s.io', resource: 'leases' };
const LEASE_KEY = { namespace: 'kube-system', name: 'kube-bind' };

/** Starts the faults of a schedule. Each ends by itself. */
export function scheduleFaults(world: World, faults: readonly Fault[]): void {
  for (const fault of faults) {
    if (fault.target === 'restore') {
      const from = fault.at - fault.ageMs;
      // A backup of the cluster and of the wishes at that time.
      world.time.setTimeout(() => {
        const cluster = world.cluster(fault.cluster);
        const backup = cluster.backup();
        const wantAgain = world.rememberWishes(fault.cluster);
        world.time.setTimeout(() => {
          restore(world, fault.cluster, cluster, backup, wantAgain, fault.forMs);
        }, fault.at - from);
      }, from);
    } else {
      world.time.setTimeout(() => {
        begin(world, fault);
      }, fault.at);
    }
    world.time.setTimeout(() => {
      world.trace.add(world.time.monotonic(), `FAULT ${describeFault(fault).trim()}`);
    }, fault.at);
  }
}

function begin(world: World, fault: Exclude<Fault, { readonly target: 'restore' }>): void {
  if (isCommon(fault)) {
    beginCommon(world, fault);
    return;
  }
  switch (fault.target) {
    case 'steal-lease':
      stealLease(world, fault.forMs);
      return;
    case 'revoke':
      world.installation.site(fault.cluster).revoke();
      world.time.setTimeout(() => {
        world.installation.site(fault.cluster).restore();
        world.installation.handOut(fault.cluster);
      }, fault.forMs);
      return;
    case 'replace-token':
      world.installation.site(fault.cluster).replaceToken();
      return;
    case 'drop-namespace':
      world.installation.site(fault.cluster).dropNamespace(fault.namespace);
      return;
    case 'rebuild-consumer':
      world.installation.loseConsumer();
      world.replaceConsumer();
      world.mayBeOrphaned();
      world.time.setTimeout(() => {
        void world.installation.setUpConsumer();
      }, fault.forMs);
      return;
  }
}

/** Faults of machines, of wires and of API servers, whatever dialect they carry. */
export type CommonFault = Extract<
  Fault,
  { readonly target: 'link' | 'compaction' | 'restart' | 'skew' | 'stall' | 'kill' | 'admission' }
>;

const COMMON: ReadonlySet<Fault['target']> = new Set<CommonFault['target']>([
  'link',
  'compaction',
  'restart',
  'skew',
  'stall',
  'kill',
  'admission',
]);

export function isCommon(fault: Fault): fault is CommonFault {
  return COMMON.has(fault.target);
}

/** The parts of a world that these faults need. */
export type FaultyWorld = Pick<World, 'cluster' | 'link' | 'machine' | 'process' | 'startProcess' | 'time'>;

/** Begins a fault, which ends by itself. */
export function beginCommon(world: FaultyWorld, fault: CommonFault): void {
  switch (fault.target) {
    case 'link': {
      const link = world.link(fault.machine, fault.cluster);
      link.add(fault.fault);
      world.time.setTimeout(() => {
        link.remove(fault.fault);
      }, fault.forMs);
      return;
    }
    case 'compaction':
      world.cluster(fault.cluster).compact();
      return;
    case 'restart':
      world.cluster(fault.cluster).restart(fault.forMs);
      return;
    case 'skew': {
      const machine = world.machine(fault.machine);
      machine.skewMs += fault.ms;
      world.time.setTimeout(() => {
        machine.skewMs -= fault.ms;
      }, fault.forMs);
      return;
    }
    case 'stall': {
      const machine = world.machine(fault.machine);
      machine.stalledUntil = Math.max(machine.stalledUntil, world.time.monotonic() + fault.forMs);
      return;
    }
    case 'kill': {
      const process = world.process(fault.machine);
      process.kill(fault.afterRequests, fault.sent);
      world.time.setTimeout(() => {
        // A process without a request until now dies here.
        if (world.process(fault.machine) !== process) return;
        process.kill();
        world.startProcess(fault.machine);
      }, fault.forMs);
      return;
    }
    case 'admission': {
      const { webhooks } = world.cluster(fault.cluster);
      webhooks.add(fault.webhook);
      world.time.setTimeout(() => {
        webhooks.remove(fault.webhook);
      }, fault.forMs);
      return;
    }
  }
}

function restore(
  world: World,
  name: string,
  cluster: ReturnType<World['cluster']>,
  backup: ReturnType<ReturnType<World['cluster']>['backup']>,
  wantAgain: () => void,
  downMs: number,
): void {
  // The fault of a replaced cluster.
  if (world.cluster(name) !== cluster) return;
  cluster.restart(downMs, backup);
  if (name === world.names.consumer) world.accounts.leasesAreOthers(downMs);
  wantAgain();
  world.time.setTimeout(() => {
    void putBack(world, name);
  }, downMs + 1);
}

/**
 * After a backup, brings credentials and manifests up to date. The backup also undoes later work of an operator, and
 * only a list shows the operator that.
 */
async function putBack(world: World, name: string): Promise<void> {
  if (name === world.names.consumer) {
    await world.installation.setUpConsumer();
    world.installation.unbindAgain();
    world.installation.letGoAgain();
  } else {
    world.installation.site(name).isRestored();
    world.installation.handOut(name);
    world.installation.typeAgain(name);
    world.operatorLists(name);
  }
}

/** Another holder takes the lease, and keeps it for a while without renewing. */
function stealLease(world: World, forMs: number): void {
  const { objects, up } = world.cluster(world.names.consumer);
  if (!up) return;
  const lease = objects.get(LEASES, LEASE_KEY);
  if (lease !== undefined) objects.update(LEASES, heldByAnother(lease, world.time.now(), forMs));
}

import type { Finding } from './in-step.js';
import { at } from './in-step.js';
import type { KbindWorld } from './kbind-world.js';
import { ACTIVATIONS, CONSUMER, PROVIDERS, type Place, type Provider, type Slot, bindingsOf } from './scenario.js';

/** Longer than a pass over all bindings. */
const REPORTED_WITHIN_MS = 120_000;
const MOVED_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 5_000;

/**
 * Checks without faults: overlapping selectors are reported and move nothing; an aborted move leaves the old copy
 * serving; a completed move brings the object over.
 */
export async function checkRoutes(world: KbindWorld): Promise<void> {
  if (!world.scenario.routes) return;
  await checkOverlap(world);
  const [first, second] = world.wishes.slots.filter((slot) => isMovable(world, slot));
  if (first !== undefined) await checkMove(world, first);
  if (second !== undefined) await checkBrokenOff(world, second);
}

async function checkOverlap(world: KbindWorld): Promise<void> {
  const { people, time } = world;
  const index = ACTIVATIONS.findIndex(({ place, namespace }) => place !== undefined && namespace !== undefined);
  world.trace.add(time.monotonic(), 'PEACE two selectors meet');
  people.select(index, 'all of both');
  const isReported = (): boolean => {
    const { reason, message = '' } = readyOf(world, index) ?? {};
    return reason === 'OverlappingBinding' && message.includes('ClusterBinding volumes');
  };
  await time.runUntil(time.monotonic() + REPORTED_WITHIN_MS, isReported);
  if (!isReported())
    world.violate('an overlap is told', `${JSON.stringify(readyOf(world, index))} of the binding that comes later`);
  people.select(index, undefined);
  await comesInStep(world);
}

async function checkMove(world: KbindWorld, slot: Slot): Promise<void> {
  const { from, to } = ways(world, slot);
  world.trace.add(world.time.monotonic(), `PEACE object ${slot.object} moves from ${from} to ${to}`);
  world.users.relabel(slot.object, placeFor(to));
  await typed(world, slot, { to, undo: false });
  const isMoved = (): boolean => world.routing.home(slot) === to && at(world.cluster(from), slot) === undefined;
  if (!(await comesInStep(world, isMoved)))
    world.violate('moves end', `object ${slot.object} was to move from ${from} to ${to}, and did not`);
}

async function checkBrokenOff(world: KbindWorld, slot: Slot): Promise<void> {
  const { from, to } = ways(world, slot);
  const { users, wishes, routing, time } = world;
  world.trace.add(time.monotonic(), `PEACE a move of object ${slot.object} from ${from} to ${to} is broken off`);
  users.relabel(slot.object, placeFor(to));
  await typed(world, slot, { to, undo: false, breakOff: { step: 2, afterMs: 0 } });
  users.update(slot.object);
  const stays = (): boolean =>
    routing.home(slot) === from && at(world.cluster(to), slot)?.value === wishes.of(slot.object).wanted;
  if (!(await comesInStep(world, stays)))
    world.violate('what is broken off leaves the old copy serving', `object ${slot.object} at ${from}`);
  users.relabel(slot.object, placeFor(from));
  await typed(world, slot, { to, undo: true });
  if (!(await comesInStep(world, () => at(world.cluster(to), slot) === undefined)))
    world.violate('moves end', `what was prepared in ${to} for object ${slot.object} is still there`);
}

async function typed(world: KbindWorld, slot: Slot, move: Parameters<KbindWorld['moves']['type']>[1]): Promise<void> {
  const { moves, time } = world;
  void moves.type(slot, move);
  const isOver = (): boolean => moves.movesTo(slot.object) === undefined;
  await time.runUntil(time.monotonic() + MOVED_WITHIN_MS, isOver);
  if (!isOver()) world.violate('commands end', `hawser move of object ${slot.object}`);
}

/** Whether everything comes in step in time, along with a further check. */
async function comesInStep(world: KbindWorld, also: () => boolean = () => true): Promise<boolean> {
  const { time } = world;
  const deadline = time.monotonic() + MOVED_WITHIN_MS;
  const left = (): readonly Finding[] => [...world.differences()];
  while ((left().length > 0 || !also()) && time.monotonic() < deadline)
    await time.runUntil(time.monotonic() + LOOK_EVERY_MS);
  for (const { invariant, what } of left()) world.violate(invariant, what);
  return also();
}

/** Whether it is wanted, has one copy, is not moving already, and bindings lead to both providers. */
function isMovable(world: KbindWorld, slot: Slot): boolean {
  const { wishes, routing, people } = world;
  const { wanted, mayStay } = wishes.of(slot.object);
  const home = routing.home(slot);
  return (
    slot.activation === undefined &&
    wanted !== undefined &&
    mayStay.size === 0 &&
    home !== undefined &&
    !PROVIDERS.some((provider) => routing.isMoving(slot, provider)) &&
    at(world.cluster(CONSUMER), slot)?.annotations['hawser.dev/connection'] !== undefined &&
    PROVIDERS.every((provider) => people.leadsFor(slot, provider)?.place !== undefined)
  );
}

function ways({ routing }: KbindWorld, slot: Slot): { readonly from: Provider; readonly to: Provider } {
  const [a, b] = PROVIDERS;
  return routing.home(slot) === a ? { from: a, to: b } : { from: b, to: a };
}

function placeFor(provider: Provider): Place {
  return ACTIVATIONS.find((one) => one.place !== undefined && one.provider === provider)?.place ?? 'nowhere';
}

function readyOf(world: KbindWorld, index: number): { readonly reason: string; readonly message?: string } | undefined {
  const activation = ACTIVATIONS[index];
  if (activation === undefined) return undefined;
  const { name, namespace = '' } = activation;
  const binding = world.cluster(CONSUMER).objects.get(bindingsOf(activation), { namespace, name });
  const { conditions = [] } = (binding?.['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly reason: string; readonly message?: string }[];
  };
  return conditions.find(({ type }) => type === 'Ready');
}

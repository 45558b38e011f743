import { objectKey } from '@hawser/client';
import { moveAnnotations } from '@hawser/core-kbind';
import type { ObjectRoute } from '@hawser/konnector-sync';
import { type Assignment, isHeld, type Routed, type Rule, rulesFor } from './routes.js';

/** A sync of one binding. */
export interface Server {
  /** Key of the binding. */
  readonly key: string;
  /** Connection of the sync. Differs from the binding's if that has just changed. */
  readonly connection: string;
}

/** Translates the assignment of an object for a sync. Pure. */
export function routeOf(object: Routed, assignment: Assignment, rules: readonly Rule[], server: Server): ObjectRoute {
  const moving = moveRouteOf(object, assignment, rules, server);
  if (moving !== undefined) return moving;
  const isOwn = (rule: Rule): boolean => isOf(rule, server);
  const left: ObjectRoute = { kind: 'left' };
  switch (assignment.kind) {
    case 'none':
      return left;
    case 'served':
      return isOwn(assignment.rule) ? { kind: 'served', ...waiting(object, assignment, rules) } : left;
    case 'lost':
      return isOwn(assignment.teller) ? { kind: 'left', message: lostMessage(object, assignment) } : left;
    case 'kept': {
      const { rule } = assignment;
      if (!isOwn(rule)) return left;
      const waits = waiting(object, assignment, rules);
      // The binding itself reports the invalid selector.
      if (rule.selector.kind === 'invalid') return { kind: 'served', ...waits };
      return { kind: 'kept', message: keptMessage(object, assignment), ...waits };
    }
  }
}

/** The sync's part in the move of an object that another sync serves; undefined: none. Pure. */
export function moveRouteOf(
  object: Routed,
  assignment: Assignment,
  rules: readonly Rule[],
  server: Server,
): ObjectRoute | undefined {
  const { connection: own } = server;
  const at = assignment.kind === 'none' ? undefined : connectionOf(assignment);
  const { namespace, annotations = {}, deletionTimestamp } = object.metadata;
  if (at === undefined || at === own || !isHeld(object) || !isMarked(annotations)) return undefined;
  const { to, ready, from, undo } = moveAnnotations;
  // One sync of each Connection cleans up what is left there.
  const first = rulesFor(rules, namespace).find((rule) => rule.connection === own);
  if (first !== undefined && isOf(first, server)) {
    const leaves: string[] = [from, undo].filter((key) => annotations[key] === own);
    if (annotations[to] === own && (deletionTimestamp !== undefined || first.isGoing)) leaves.push(to, ready);
    if (leaves.length > 0) return { kind: 'released', marks: leaves };
  }
  const chosen = assignment.kind === 'kept' || assignment.kind === 'lost' ? assignment.chosen : undefined;
  const isStaged = annotations[to] === own && deletionTimestamp === undefined;
  return isStaged && chosen !== undefined && isOf(chosen, server)
    ? { kind: 'staged', readyMark: { key: ready, value: own } }
    : undefined;
}

/** Whether the object must wait until its copies elsewhere are gone. */
function waiting(object: Routed, assignment: Assignment, rules: readonly Rule[]): { readonly waitsFor?: string } {
  if (!isMarked(object.metadata.annotations ?? {})) return {};
  const other = rules.find(
    ({ key, connection }) => moveRouteOf(object, assignment, rules, { key, connection }) !== undefined,
  );
  return other === undefined
    ? {}
    : {
        waitsFor: `This object is being moved, and goes when its copy at Connection ${other.connection} is gone. Repair that Connection if it does not work.`,
      };
}

/** Whether an object moves at all: nearly none does. */
function isMarked(annotations: Readonly<Record<string, string>>): boolean {
  return Object.values(moveAnnotations).some((key) => Object.hasOwn(annotations, key));
}

function connectionOf(assignment: Exclude<Assignment, { kind: 'none' }>): string {
  return assignment.kind === 'lost' ? assignment.connection : assignment.rule.connection;
}

/** Whether a rule belongs to a sync. */
export function isOf({ key, connection }: Rule, server: Server): boolean {
  return key === server.key && connection === server.connection;
}

function lostMessage(object: Routed, { connection, chosen }: Extract<Assignment, { kind: 'lost' }>): string {
  const remedy = `Bind the API to Connection ${connection} for this object again${chosen === undefined ? '' : `, or move it: ${moveCommand(object, chosen)}`}.`;
  return `The copy of this object is at Connection ${connection}, and no binding leads there. Nothing is synced, and nothing deleted. ${remedy}`;
}

function keptMessage(object: Routed, { rule: { connection }, chosen }: Extract<Assignment, { kind: 'kept' }>): string {
  const stays = `The copy of this object stays at Connection ${connection} and is kept in step,`;
  return chosen === undefined
    ? `${stays} although no binding selects this object any more. Change its labels back, or delete it.`
    : `${stays} although ${chosen.title} leads to Connection ${chosen.connection}. To move it: ${moveCommand(object, chosen)}`;
}

function moveCommand({ metadata }: Routed, { connection }: Rule): string {
  return `hawser move ${objectKey(metadata)} --to ${connection}`;
}

import { objectKey } from '@hawser/client';
import { annotations, moveAnnotations } from '@hawser/core-kbind';
import type { ObjectRoute, RouteNote } from '@hawser/konnector-sync';
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
  // A guess moves nothing: whoever has the serving copy notes that first.
  const moving = isGuess(assignment) ? undefined : moveRouteOf(object, assignment, rules, server);
  if (moving !== undefined) return moving;
  const isOwn = (rule: Rule): boolean => isOf(rule, server);
  const left: ObjectRoute = { kind: 'left' };
  const doubted = doubtedDefault(object, assignment);
  if (doubted !== undefined && doubted.connection === server.connection)
    return isOwn(doubted) ? { kind: 'left', message: unfinishedMessage(doubted) } : left;
  if (isForCopyHolder(object, assignment, rules, server)) return { kind: 'unknown', note: noteOf(server) };
  switch (assignment.kind) {
    case 'none':
      return left;
    case 'served':
      return isOwn(assignment.rule) ? { kind: 'served', ...serving(object, assignment, rules, server) } : left;
    case 'lost':
      return isOwn(assignment.reporter) ? { kind: 'left', message: lostMessage(object, assignment) } : left;
    case 'kept': {
      const { rule } = assignment;
      if (!isOwn(rule)) return left;
      const how = serving(object, assignment, rules, server);
      // The binding itself reports the invalid selector.
      if (rule.selector.kind === 'invalid') return { kind: 'served', ...how };
      return { kind: 'kept', message: keptMessage(object, assignment), ...how };
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
  const { namespace, annotations: marks = {}, deletionTimestamp } = object.metadata;
  if (at === undefined || at === own || !isHeld(object) || !isMarked(marks)) return undefined;
  const { to, ready, from, undo } = moveAnnotations;
  // One sync of each Connection cleans up what is left there.
  const first = rulesFor(rules, namespace).find((rule) => rule.connection === own);
  if (first !== undefined && isOf(first, server)) {
    const leaves: string[] = [from, undo].filter((key) => marks[key] === own);
    if (marks[to] === own && (deletionTimestamp !== undefined || first.isGoing)) leaves.push(to, ready);
    if (leaves.length > 0) return { kind: 'released', marks: leaves };
  }
  const chosen = assignment.kind === 'kept' || assignment.kind === 'lost' ? assignment.chosen : undefined;
  const isStaged = marks[to] === own && deletionTimestamp === undefined;
  return isStaged && chosen !== undefined && isOf(chosen, server)
    ? { kind: 'staged', readyMark: { key: ready, value: own } }
    : undefined;
}

/** How a sync serves the object. Its note counts only where rules lead to several Connections. */
function serving(
  object: Routed,
  assignment: Extract<Assignment, { kind: 'served' | 'kept' }>,
  rules: readonly Rule[],
  server: Server,
): Omit<Extract<ObjectRoute, { kind: 'served' }>, 'kind'> {
  const waits = { ...waiting(object, assignment, rules), ...staleMarks(object, server) };
  if (rules.every(({ connection }) => connection === server.connection)) return waits;
  return {
    ...waits,
    note: noteOf(server),
    ...(isGuess(assignment) ? { ifCopied: unknownMessage(server.connection) } : {}),
  };
}

/** An object without finalizer has no copy that a move would have left: it may be one that was let go of meanwhile. */
function staleMarks(object: Routed, { connection }: Server): { readonly staleMarks?: readonly string[] } {
  const { annotations: marks = {} } = object.metadata;
  if (!isMarked(marks) || isHeld(object)) return {};
  const stale = Object.values(moveAnnotations).filter((key) => marks[key] === connection);
  return stale.length === 0 ? {} : { staleMarks: stale };
}

/** Whether a sync of another Connection than the one that is taken by default may have the copy. */
function isForCopyHolder(object: Routed, assignment: Assignment, rules: readonly Rule[], server: Server): boolean {
  if (!isGuess(assignment) || connectionOf(assignment) === server.connection) return false;
  if (isUnfinishedAt(object, server.connection)) return false;
  // One sync of each Connection looks for the copy.
  const first = rulesFor(rules, object.metadata.namespace).find(({ connection }) => connection === server.connection);
  return first !== undefined && isOf(first, server);
}

function noteOf({ connection }: Server): RouteNote {
  return { key: annotations.servedBy, value: connection };
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

type Guess = Exclude<Assignment, { kind: 'none' }> & { readonly isGuess: true };

function isGuess(assignment: Assignment): assignment is Guess {
  return assignment.kind !== 'none' && assignment.isGuess === true;
}

/** The rule that would serve an object by default, if the copy there may be that of an unfinished move. */
function doubtedDefault(object: Routed, assignment: Assignment): Rule | undefined {
  if (!isGuess(assignment) || assignment.kind === 'lost') return undefined;
  return isUnfinishedAt(object, assignment.rule.connection) ? assignment.rule : undefined;
}

/** Whether the object has, or had, a copy there only for an unfinished move: that one serves nobody. */
export function isUnfinishedAt({ metadata: { annotations: marks = {} } }: Routed, connection: string): boolean {
  return Object.entries(moveAnnotations).some(([mark, key]) => mark !== 'ready' && marks[key] === connection);
}

/** Whether an object moves at all: nearly none does. */
function isMarked(marks: Readonly<Record<string, string>>): boolean {
  return Object.values(moveAnnotations).some((key) => Object.hasOwn(marks, key));
}

function connectionOf(assignment: Exclude<Assignment, { kind: 'none' }>): string {
  return assignment.kind === 'lost' ? assignment.connection : assignment.rule.connection;
}

/** Whether a rule belongs to a sync. */
export function isOf({ key, connection }: Rule, server: Server): boolean {
  return key === server.key && connection === server.connection;
}

function unknownMessage(connection: string): string {
  return `Nothing says at which Connection the copy of this object is: the annotation ${annotations.servedBy} is missing, and Connection ${connection}, from which the CRD comes, has no copy. Nothing is synced, and nothing deleted. Look for the copy at the providers, and annotate this object with ${annotations.servedBy}=<name of the Connection>. If an admission of this cluster strips the annotation, let it pass.`;
}

function unfinishedMessage({ connection }: Rule): string {
  return `Nothing says at which Connection this object is served: the annotation ${annotations.servedBy} is missing, and a move to or from Connection ${connection} is unfinished. Nothing is synced, and nothing deleted. The other Connection notes itself if it has the copy. Else annotate this object with ${annotations.servedBy}=<name of the Connection that served it>. If an admission of this cluster strips the annotation, let it pass.`;
}

function lostMessage(object: Routed, { connection, chosen }: Extract<Assignment, { kind: 'lost' }>): string {
  const remedy = `Bind the API to Connection ${connection} for this object again${chosen === undefined ? '' : `, or move it: ${moveCommand(object, chosen)}`}.`;
  const isNamed = object.metadata.annotations?.[annotations.servedBy] !== undefined;
  const where = isNamed
    ? `The copy of this object is at Connection ${connection}`
    : `This object names no Connection, so it counts as one of Connection ${connection}, from which the CRD comes`;
  return `${where}, and no binding leads there. Nothing is synced, and nothing deleted. ${remedy}`;
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

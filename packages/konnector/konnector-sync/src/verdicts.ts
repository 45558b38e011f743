import type { UnstructuredObject } from '@hawser/client';
import type { Actor } from '@hawser/controller';

import type { Decision, Verdict } from './decision.js';
import type { Path } from './difference.js';

export function held(reason: string, message: string, actor: Actor): Decision {
  return { actions: [], verdict: { kind: 'held', reason, message, actor } };
}

export function waiting(waitingFor: 'namespace' | 'cache' | 'copyToGo'): Decision {
  return { actions: [], verdict: progressing(waitingFor) };
}

export function progressing(waitingFor: Extract<Verdict, { kind: 'progressing' }>['waitingFor']): Verdict {
  return { kind: 'progressing', waitingFor };
}

export function describe(object: UnstructuredObject): string {
  const { namespace, name } = object.metadata;
  return `${object.kind} "${namespace === undefined ? name : `${namespace}/${name}`}"`;
}

export function pathsInWords(paths: readonly Path[]): string {
  const shown = paths
    .slice(0, 3)
    .map((path) => path.join('.'))
    .join(', ');
  return paths.length > 3 ? `${shown} and ${paths.length - 3} more` : shown;
}

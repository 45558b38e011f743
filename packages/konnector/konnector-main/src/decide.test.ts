import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { type Action, decide } from './decide.js';
import type { ConnectionObserved, ConnectionPhase, Member, Target } from './observed.js';

const a: Member = 'binding:a';
const b: Member = 'binding:b';
const labelled: Member = 'secret:kube-bind/kc';
const on = (hash: string): Target => ({ kind: 'connect', hash });
const stay: Target = { kind: 'stay' };
const boundTo = (pin: string, hash: string): Target => ({ kind: 'connect', hash, pin });
const refused: Target = { kind: 'refused' };
const connection = (
  hash: string,
  phase: ConnectionPhase,
  members: Member[] = [],
  draining: Member[] = [],
): ConnectionObserved => ({ hash, phase, members, draining });
const leadingTo = (identity: string, observed: ConnectionObserved): ConnectionObserved => ({ ...observed, identity });

const text = (action: Action): string => {
  const verb = action.kind === 'leave' && !action.gone ? 'move' : action.kind;
  return 'member' in action ? `${verb} ${action.hash} ${action.member}` : `${verb} ${action.hash}`;
};
const decided = (targets: [Member, Target][], ...connections: ConnectionObserved[]): string[] =>
  decide({ targets: new Map(targets), connections }).map(text);

describe('decide', () => {
  it.each<[string, [Member, Target][], ConnectionObserved[], string[]]>([
    ['nothing is bound', [], [], []],
    ['a binding with a new kubeconfig', [[a, on('1')]], [], ['prepare 1']],
    [
      'two bindings with the same kubeconfig share a connection',
      [
        [a, on('1')],
        [b, on('1')],
      ],
      [],
      ['prepare 1'],
    ],
    [
      'two kubeconfigs',
      [
        [a, on('1')],
        [b, on('2')],
      ],
      [],
      ['prepare 1', 'prepare 2'],
    ],
    ['still preparing', [[a, on('1')]], [connection('1', 'preparing')], []],
    [
      'prepared',
      [
        [a, on('1')],
        [b, on('1')],
      ],
      [connection('1', 'prepared')],
      ['join 1 binding:a', 'join 1 binding:b', 'run 1'],
    ],
    ['running', [[a, on('1')]], [connection('1', 'running', [a])], []],
    [
      'another binding joins',
      [
        [a, on('1')],
        [b, on('1')],
      ],
      [connection('1', 'running', [a])],
      ['join 1 binding:b'],
    ],
    ['a restarted connection with members', [[a, on('1')]], [connection('1', 'prepared', [a])], ['run 1']],

    ['the Secret is missing and there was no connection', [[a, stay]], [], []],
    ['the Secret is missing: the connection goes on', [[a, stay]], [connection('1', 'running', [a])], []],
    [
      'one of two Secrets is missing',
      [
        [a, stay],
        [b, on('1')],
      ],
      [connection('1', 'running', [a, b])],
      [],
    ],
    ['the Secret went before the connection was ready', [[a, stay]], [connection('1', 'preparing')], ['stop 1']],

    ['one of two bindings is deleted', [[b, on('1')]], [connection('1', 'running', [a, b])], ['leave 1 binding:a']],
    ['the last binding is deleted', [], [connection('1', 'running', [a])], ['leave 1 binding:a', 'stop 1']],
    ['the last binding is deleted while preparing', [], [connection('1', 'preparing')], ['stop 1']],
    [
      'the last binding is deleted while its Secret is missing',
      [[b, on('2')]],
      [connection('1', 'running', [a]), connection('2', 'running', [b])],
      ['leave 1 binding:a', 'stop 1'],
    ],
    ['a stopping connection is left alone', [], [connection('1', 'stopping')], []],
    [
      'a connection that is wanted again is made anew once it has stopped',
      [[a, on('1')]],
      [connection('1', 'stopping')],
      [],
    ],

    [
      'rotated: the new connection is prepared while the old one works',
      [[a, on('2')]],
      [connection('1', 'running', [a])],
      ['prepare 2'],
    ],
    [
      'rotated: the old one works on until the new one is ready',
      [[a, on('2')]],
      [connection('1', 'running', [a]), connection('2', 'preparing')],
      [],
    ],
    [
      'rotated: the old one stops before the new one runs',
      [[a, on('2')]],
      [connection('1', 'running', [a]), connection('2', 'prepared')],
      ['move 1 binding:a', 'stop 1'],
    ],
    [
      'rotated: the new one waits while the old one drains',
      [[a, on('2')]],
      [connection('1', 'stopping', [], [a]), connection('2', 'prepared')],
      [],
    ],
    [
      'rotated: the new one runs when the old one is gone',
      [[a, on('2')]],
      [connection('2', 'prepared')],
      ['join 2 binding:a', 'run 2'],
    ],
    [
      'rotated: both bindings move together',
      [
        [a, on('2')],
        [b, on('2')],
      ],
      [connection('1', 'running', [a, b]), connection('2', 'prepared')],
      ['move 1 binding:a', 'move 1 binding:b', 'stop 1'],
    ],
    [
      'rotated back before the new one was ready',
      [[a, on('1')]],
      [connection('1', 'running', [a]), connection('2', 'preparing')],
      ['stop 2'],
    ],
    [
      'rotated twice: the second new one replaces the first',
      [[a, on('3')]],
      [connection('1', 'running', [a]), connection('2', 'preparing')],
      ['stop 2', 'prepare 3'],
    ],
    [
      'rotated to something unusable',
      [[a, stay]],
      [connection('1', 'running', [a]), connection('2', 'preparing')],
      ['stop 2'],
    ],
    [
      'one of two Secrets rotated',
      [
        [a, on('2')],
        [b, on('1')],
      ],
      [connection('1', 'running', [a, b]), connection('2', 'prepared')],
      ['move 1 binding:a'],
    ],
    [
      'one of two Secrets rotated, drained',
      [
        [a, on('2')],
        [b, on('1')],
      ],
      [connection('1', 'running', [b]), connection('2', 'prepared')],
      ['join 2 binding:a', 'run 2'],
    ],
    [
      'moved to a connection that runs already',
      [
        [a, on('2')],
        [b, on('2')],
      ],
      [connection('1', 'running', [a]), connection('2', 'running', [b])],
      ['move 1 binding:a', 'stop 1'],
    ],
    [
      'moved, still draining',
      [
        [a, on('2')],
        [b, on('2')],
      ],
      [connection('1', 'stopping', [], [a]), connection('2', 'running', [b])],
      [],
    ],
    [
      'moved away from a connection that fails',
      [[a, on('2')]],
      [connection('1', 'preparing', [a]), connection('2', 'prepared')],
      ['move 1 binding:a', 'stop 1'],
    ],

    [
      'bound to the provider that is found',
      [[a, boundTo('p', '1')]],
      [leadingTo('p', connection('1', 'prepared'))],
      ['join 1 binding:a', 'run 1'],
    ],
    [
      'bound to a provider, which is not known to be another',
      [[a, boundTo('p', '1')]],
      [connection('1', 'prepared')],
      ['join 1 binding:a', 'run 1'],
    ],
    [
      'bound to another provider: it stays prepared',
      [[a, boundTo('p', '1')]],
      [leadingTo('q', connection('1', 'prepared'))],
      [],
    ],
    [
      'bound to another provider, and a second one is not',
      [
        [a, boundTo('p', '1')],
        [b, boundTo('q', '1')],
      ],
      [leadingTo('q', connection('1', 'prepared'))],
      ['join 1 binding:b', 'run 1'],
    ],
    [
      'the provider became another one',
      [[a, boundTo('p', '1')]],
      [leadingTo('q', connection('1', 'prepared', [a]))],
      ['leave 1 binding:a'],
    ],
    [
      'the provider became another one while the Secret is missing',
      [[a, { kind: 'stay', pin: 'p' }]],
      [leadingTo('q', connection('1', 'prepared', [a]))],
      ['leave 1 binding:a', 'stop 1'],
    ],
    [
      'rotated to another provider: the old one goes on',
      [[a, boundTo('p', '2')]],
      [leadingTo('p', connection('1', 'running', [a])), leadingTo('q', connection('2', 'prepared'))],
      [],
    ],
    [
      'rotated to another provider, which is accepted',
      [[a, boundTo('q', '2')]],
      [leadingTo('p', connection('1', 'running', [a])), leadingTo('q', connection('2', 'prepared'))],
      ['move 1 binding:a', 'stop 1'],
    ],
    ['bound in another cluster', [[a, refused]], [connection('1', 'running', [a])], ['leave 1 binding:a', 'stop 1']],

    ['a labelled Secret without binding', [[labelled, on('1')]], [], ['prepare 1']],
    [
      'a labelled Secret without binding, prepared',
      [[labelled, on('1')]],
      [connection('1', 'prepared')],
      ['join 1 secret:kube-bind/kc', 'run 1'],
    ],
    [
      'a labelled Secret is deleted',
      [],
      [connection('1', 'running', [labelled])],
      ['leave 1 secret:kube-bind/kc', 'stop 1'],
    ],
    [
      'a labelled Secret is deleted, a binding needs it still',
      [[a, stay]],
      [connection('1', 'running', [labelled, a])],
      ['leave 1 secret:kube-bind/kc'],
    ],
    [
      'a labelled Secret is rotated',
      [
        [labelled, on('2')],
        [a, on('2')],
      ],
      [connection('1', 'running', [labelled, a]), connection('2', 'prepared')],
      ['move 1 secret:kube-bind/kc', 'move 1 binding:a', 'stop 1'],
    ],
  ])('%s', (_, targets, connections, expected) => {
    expect(decided(targets, ...connections)).toEqual(expected);
  });
});

describe('connections, where the Go konnector has others', () => {
  roughEdge('R3', 'the connection of a binding that is deleted ends', () => {
    expect(decided([], connection('1', 'running', [a]))).toEqual(['leave 1 binding:a', 'stop 1']);
  });
  roughEdge(
    'R5',
    'a connection that others use works on when the binding that it was made for has lost its Secret',
    () => {
      expect(
        decided(
          [
            [a, stay],
            [b, on('1')],
          ],
          connection('1', 'running', [a, b]),
        ),
      ).toEqual([]);
    },
  );
  roughEdge('R6', 'the connection of the kubeconfig before ends, also where the Secret is labelled', () => {
    expect(
      decided(
        [
          [labelled, on('2')],
          [a, on('2')],
        ],
        connection('1', 'running', [labelled, a]),
        connection('2', 'prepared'),
      ),
    ).toContain('stop 1');
  });
  roughEdge('R32', 'every binding is served that has the kubeconfig, whatever Secret it is in', () => {
    expect(
      decided(
        [
          [a, on('1')],
          [b, on('1')],
        ],
        connection('1', 'prepared'),
      ),
    ).toEqual(['join 1 binding:a', 'join 1 binding:b', 'run 1']);
  });
});

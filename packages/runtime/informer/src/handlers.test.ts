import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { type Change, Handlers } from './handlers.js';
import type { Subscription } from './informer.js';

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name } });
const add = (name: string): Change => ({ kind: 'add', key: name, object: object(name), initial: false });
const names = (calls: string[]) => ({
  onAdd: (o: KubeObject, initial: boolean) => {
    calls.push(`${initial ? 'initial ' : ''}${o.metadata.name}`);
  },
});

describe('handlers', () => {
  it('are told in the order in which they came; each of every change once', () => {
    const handlers = new Handlers(() => undefined);
    const calls: string[] = [];
    handlers.add(
      {
        onAdd: (o) => {
          calls.push(`first ${o.metadata.name}`);
        },
      },
      [],
    );
    handlers.deliver(add('a'));
    handlers.add(
      {
        onAdd: (o, initial) => {
          calls.push(`second ${o.metadata.name}${initial ? ' initial' : ''}`);
        },
      },
      [['a', object('a')]],
    );
    handlers.deliver(add('b'));
    expect(calls).toEqual(['first a', 'second a initial', 'first b', 'second b']);
  });

  it('all see a change before any sees the one that it caused', () => {
    const handlers = new Handlers(() => undefined);
    const calls: string[] = [];
    handlers.add(
      {
        onAdd: (o) => {
          if (o.metadata.name === 'a') handlers.deliver(add('b'));
        },
      },
      [],
    );
    handlers.add(names(calls), []);
    handlers.deliver(add('a'));
    expect(calls).toEqual(['a', 'b']);
  });

  it('that join while a change is under way get it in their replay only', () => {
    const handlers = new Handlers(() => undefined);
    const calls: string[] = [];
    handlers.add(
      {
        onAdd: (o) => {
          if (o.metadata.name !== 'a') return;
          // The cache has b already when the handler joins; its delivery still waits.
          handlers.deliver(add('b'));
          handlers.add(names(calls), [
            ['a', object('a')],
            ['b', object('b')],
          ]);
        },
      },
      [],
    );
    const other: string[] = [];
    handlers.add(names(other), []);
    handlers.deliver(add('a'));
    handlers.deliver(add('c'));
    expect(calls).toEqual(['initial a', 'initial b', 'c']);
    expect(other).toEqual(['a', 'b', 'c']);
  });

  it('hear of changes that they cause in their own replay after it', () => {
    const handlers = new Handlers(() => undefined);
    const calls: string[] = [];
    handlers.add(
      {
        onAdd: (o, initial) => {
          calls.push(o.metadata.name);
          if (initial && o.metadata.name === 'a') handlers.deliver(add('c'));
        },
      },
      [
        ['a', object('a')],
        ['b', object('b')],
      ],
    );
    expect(calls).toEqual(['a', 'b', 'c']);
  });

  it('that throw or reject harm nobody', async () => {
    const errors: unknown[] = [];
    const handlers = new Handlers((error) => {
      errors.push(error);
    });
    const calls: string[] = [];
    handlers.add(
      {
        onAdd: () => {
          throw new Error('thrown');
        },
      },
      [],
    );
    handlers.add(Object.assign({}, { onAdd: () => Promise.reject(new Error('rejected')) }), []);
    handlers.add(names(calls), []);
    handlers.deliver(add('a'));
    handlers.deliver(add('b'));
    await Promise.resolve();
    await Promise.resolve();
    expect(calls).toEqual(['a', 'b']);
    expect(errors.map((error) => (error as Error).message).sort()).toEqual([
      'rejected',
      'rejected',
      'thrown',
      'thrown',
    ]);
  });

  it('hear nothing after they closed, not even of the change that is under way', () => {
    const handlers = new Handlers(() => undefined);
    const calls: string[] = [];
    let second: Subscription | undefined = undefined as Subscription | undefined;
    const first = handlers.add(
      {
        onAdd: (o) => {
          calls.push(`first ${o.metadata.name}`);
          first.close();
          second?.close();
        },
      },
      [],
    );
    second = handlers.add(names(calls), []);
    handlers.deliver(add('a'));
    handlers.deliver(add('b'));
    expect(calls).toEqual(['first a']);
  });
});

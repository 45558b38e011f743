import { describe, expect, it } from '@jest/globals';

import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { pauseOfPublication } from './pause.js';
import { copyObject, observed, settings, sourceObject } from './testing/pairs.js';

const paused = { annotations: { 'hawser.dev/paused': 'we move' } };
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const publication = { ...settings, pause: { of: 'publication' as const, reason: 'an upgrade' } };
const withheld = ({ withheld: actions = [] }: Decision): readonly string[] => actions.map(({ type }) => type);

describe('an object that is paused', () => {
  it('is not written, and what would be is told', () => {
    const decision = decide(
      observed(sourceObject({ metadata: { ...paused, finalizers: undefined } }), undefined, null),
      settings,
    );
    expect(decision.actions).toEqual([]);
    expect(withheld(decision)).toEqual(['addFinalizer', 'create', 'storeSnapshot']);
    expect(decision.verdict).toMatchObject({
      kind: 'held',
      reason: 'Paused',
      actor: 'consumer',
      message: expect.stringContaining('hawser.dev/paused ("we move")'),
    });
  });

  it('is paused by any value, also an empty one', () => {
    const decision = decide(
      observed(
        sourceObject({ metadata: { annotations: { 'hawser.dev/paused': '' }, finalizers: undefined } }),
        undefined,
        null,
      ),
      settings,
    );
    expect(decision.verdict).toMatchObject({
      kind: 'held',
      reason: 'Paused',
      message: expect.not.stringContaining('("'),
    });
  });

  it('keeps its copy and its finalizer while it is being deleted', () => {
    const decision = decide(observed(sourceObject({ metadata: { ...paused, ...deleting } }), copyObject()), settings);
    expect(decision.actions).toEqual([]);
    expect(withheld(decision)).toEqual(['confirmDeletion']);
  });

  it('is in step where nothing is held back', () => {
    expect(
      decide(
        observed(sourceObject({ status: { phase: 'Ready' } }), copyObject({ status: { phase: 'Ready' } })),
        publication,
      ),
    ).toEqual({ actions: [], verdict: { kind: 'inStep' } });
  });

  it('with its PublishedResource waits for whoever publishes it', () => {
    const decision = decide(
      observed(sourceObject({ spec: { size: 'large' } }), copyObject(), sourceObject()),
      publication,
    );
    expect(decision.actions).toEqual([]);
    expect(withheld(decision)).toContain('patch');
    expect(decision.verdict).toMatchObject({
      kind: 'held',
      reason: 'Paused',
      actor: 'provider',
      message: expect.stringContaining('("an upgrade") on the PublishedResource'),
    });
  });

  it('is let go all the same when its publication ends', () => {
    const decision = decide(observed(sourceObject({ metadata: paused }), copyObject()), { ...settings, letGo: true });
    expect(decision.actions.map(({ type }) => type)).toContain('releaseFinalizer');
  });
});

it('a PublishedResource says by its annotation whether it is paused', () => {
  expect(pauseOfPublication({ metadata: { name: 'x' } })).toBeUndefined();
  expect(pauseOfPublication({ metadata: { name: 'x', ...paused } })).toEqual({ of: 'publication', reason: 'we move' });
});

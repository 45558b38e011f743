import { FakeClock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';
import { ChangedShapes, type Shape } from './changed-shapes.js';

const shape = (name: string, present: string | undefined): Shape => ({ name, shape: present });

describe('ChangedShapes', () => {
  it('has a resource read again once, when a change has settled', async () => {
    const clock = new FakeClock();
    const shapes = new ChangedShapes(clock, 5_000);
    expect(shapes.look('x', [shape('a', '1/1'), shape('b', '1/1')])).toEqual({ due: [], againInMs: undefined });
    expect(shapes.look('x', [shape('a', '1/2'), shape('b', '1/1')])).toEqual({ due: [], againInMs: 5_000 });
    await clock.advance(2_000);
    // The consumer's CRD follows the provider's schema: it begins anew.
    expect(shapes.look('x', [shape('a', '2/2'), shape('b', '1/1')])).toEqual({ due: [], againInMs: 5_000 });
    await clock.advance(4_999);
    expect(shapes.look('x', [shape('a', '2/2'), shape('b', '1/1')])).toEqual({ due: [], againInMs: 1 });
    await clock.advance(1);
    expect(shapes.look('x', [shape('a', '2/2'), shape('b', '1/1')])).toEqual({ due: ['a'], againInMs: undefined });
    expect(shapes.look('x', [shape('a', '2/2'), shape('b', '1/1')])).toEqual({ due: [], againInMs: undefined });
  });

  it('takes what is unknown for unchanged, and what is gone or another’s for news', async () => {
    const clock = new FakeClock();
    const shapes = new ChangedShapes(clock, 5_000);
    shapes.look('x', [shape('a', '1/1')]);
    expect(shapes.look('x', [shape('a', undefined)]).againInMs).toBeUndefined();
    expect(shapes.look('x', [shape('a', '1/1')]).againInMs).toBeUndefined();
    expect(shapes.look('y', [shape('a', '4/4')]).againInMs).toBeUndefined();
    shapes.look('x', []);
    expect(shapes.look('x', [shape('a', '9/9')]).againInMs).toBeUndefined();
    shapes.forget('x');
    expect(shapes.look('x', [shape('a', '10/10')]).againInMs).toBeUndefined();
    await clock.advance(10_000);
    expect(shapes.look('x', [shape('a', '10/10')]).due).toEqual([]);
  });
});

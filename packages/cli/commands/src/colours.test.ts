import { describe, expect, it } from '@jest/globals';

import { createColours, wantsColours } from './colours.js';
import { shown as bindingsShown } from './bindings.js';
import { paintOf } from './output.js';
import type { Terminal } from './task.js';
import { parseFlags } from '@hawser/config';

const ESC = '\u001b';

describe('colours', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{}, undefined, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ NODE_DISABLE_COLORS: '1' }, true, false],
    [{ FORCE_COLOR: 'off' }, true, false],
    [{ FORCE_COLOR: '' }, false, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  ])('with %j where a terminal is %s: %s', (env, isTerminal, wanted) => {
    expect(wantsColours(env, isTerminal)).toBe(wanted);
  });

  it('are in what is painted, and nowhere else', () => {
    const { paint, shown } = createColours(true, 'secret');
    expect(shown(`a ${paint('good', 'in step')} b ${paint('bad', 'held')}`)).toBe(
      `a ${ESC}[32min step${ESC}[39m b ${ESC}[31mheld${ESC}[39m`,
    );
    expect(shown(paint('warning', '[..]'))).toBe(`${ESC}[33m[..]${ESC}[39m`);
  });

  it("are not made by others' text, painted or not", () => {
    const { paint, shown } = createColours(true, 'secret');
    expect(shown(`${ESC}[32mgood \u0000guessgood.x ${paint('bad', `${ESC}[2Jheld`)}`)).toBe(
      `\\u001b[32mgood \\u0000guessgood.x ${ESC}[31m\\u001b[2Jheld${ESC}[39m`,
    );
  });

  it('leave no trace where there are none', () => {
    const { paint, shown } = createColours(false, 'secret');
    expect(shown(paint('good', `${ESC}in step`))).toBe('\\u001bin step');
  });

  it('end with --no-color', () => {
    const terminal: Terminal = {
      out: () => undefined,
      err: () => undefined,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
      paint: (tone, text) => `<${tone}>${text}`,
    };
    const flags = [{ name: 'no-color', kind: 'boolean', help: '' }] as const;
    expect([
      paintOf(parseFlags([], flags), terminal)('bad', 'x'),
      paintOf(parseFlags(['--no-color'], flags), terminal)('bad', 'x'),
    ]).toEqual(['<bad>x', 'x']);
  });

  it('are in tables, with the columns as they were, and not in JSON', () => {
    const report = {
      kind: 'APIServiceBinding',
      name: 'databases',
      standing: 'held',
      findings: [],
      resources: [],
      claims: [],
      claimed: [],
      writes: [],
    } as const;
    const paint = (tone: string, text: string): string => `<${tone}>${text}</>`;
    const painted = bindingsShown([report], 0, 'table', paint);
    expect(painted).toContain('databases   <bad>held</>       -');
    expect(painted.replace(/<[^>]*>/gu, '')).toBe(bindingsShown([report], 0, 'table'));
    expect(bindingsShown([report], 0, 'json', paint)).toBe(bindingsShown([report], 0, 'json'));
  });
});

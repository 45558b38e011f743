import { describe, expect, it } from '@jest/globals';
import { selects } from './label-selector.js';

describe('a label selector', () => {
  it.each([
    ['', undefined, true],
    ['app', { app: '' }, true],
    ['app', {}, false],
    ['app', undefined, false],
    ['!app', {}, true],
    ['! app', { app: 'web' }, false],
    ['app=web', { app: 'web' }, true],
    ['app == web', { app: 'web' }, true],
    ['app=web', { app: 'api' }, false],
    ['app=', { app: '' }, true],
    ['app!=web', { app: 'api' }, true],
    ['app!=web', {}, true],
    ['app!=web', { app: 'web' }, false],
    ['example.com/app=web, tier', { 'example.com/app': 'web', tier: 'x' }, true],
    ['example.com/app=web,tier', { 'example.com/app': 'web' }, false],
    ['toString', {}, false],
    ['app in (web,api)', { app: 'web' }, undefined],
    ['app=web,tier notin (x)', { app: 'api' }, undefined],
    ['size>3', { size: '4' }, undefined],
  ] as const)('%j on %j: %s', (selector, labels, expected) => {
    expect(selects(selector, labels)).toBe(expected);
  });
});

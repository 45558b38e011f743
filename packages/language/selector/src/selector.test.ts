import { describe, expect, it } from '@jest/globals';
import { everyField, everyLabel, labelRules, parseFieldSelector, parseLabelSelector } from './index.js';

describe('labelRules', () => {
  it.each(['app=web', 'example.com/app in (a,b_c)', 'size>-3', 'a=', '!app'])('take %s', (text) => {
    expect(parseLabelSelector(text, labelRules).empty).toBe(false);
  });

  it.each(['app>x', 'a/b/c=d', 'a~b', `${'k'.repeat(64)}=v`, 'a=-b', 'ä=b', 'Example.com/a=b', `a=${'v'.repeat(64)}`])(
    'refuse %s',
    (text) => {
      expect(() => parseLabelSelector(text, labelRules)).toThrow(SyntaxError);
    },
  );
});

describe('parseLabelSelector', () => {
  it.each([
    ['app=web', { app: 'web' }, true],
    ['app==web', { app: 'db' }, false],
    ['app!=web', {}, true],
    ['app', { app: '' }, true],
    ['!app', { app: 'web' }, false],
    ['app in (web,db)', { app: 'db' }, true],
    ['app notin (web,db)', { app: 'db' }, false],
    ['in in (in)', { in: 'in' }, true],
    ['size>3', { size: '10' }, true],
    ['size<3', { size: '10' }, false],
    ['size>3', { size: 'ten' }, false],
    ['app=', { app: '' }, true],
    ['app in ()', { app: '' }, true],
    ['constructor', {}, false],
  ])('%s of %j is %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it.each(['=web', 'app=web,', 'app in web', 'app in (web', '(app)', 'app web'])('refuses %s', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(SyntaxError);
  });

  it('asks the checks of the caller for keys and values', () => {
    const seen: string[] = [];
    parseLabelSelector('a in (x,y),b', {
      key: (key) => void seen.push(key),
      value: (key, value, operator) => void seen.push(`${key} ${operator} ${value}`),
    });
    expect(seen).toEqual(['a', 'a in x', 'a in y', 'b']);
  });

  it('selects everything where it says nothing', () => {
    expect(parseLabelSelector('').empty).toBe(true);
    expect(everyLabel.matches({})).toBe(true);
  });
});

describe('parseFieldSelector', () => {
  const values = new Map([
    ['metadata.name', 'a,b'],
    ['spec.size', 'small'],
  ]);

  it.each([
    [String.raw`metadata.name=a\,b`, true],
    ['spec.size!=small', false],
    ['spec.size==small,metadata.name!=c', true],
    ['spec.other=', true],
    ['spec.other=x', false],
  ])('%s is %s', (text, expected) => {
    expect(parseFieldSelector(text).matches(values)).toBe(expected);
  });

  it.each(['metadata.name', 'a=b=c', String.raw`a=\x`])('refuses %s', (text) => {
    expect(() => parseFieldSelector(text)).toThrow(SyntaxError);
  });

  it('knows the one value of a field, and calls fields by other names', () => {
    expect(parseFieldSelector('a=1,b!=2').exact('a')).toBe('1');
    expect(parseFieldSelector('a=1,b!=2').exact('b')).toBeUndefined();
    expect(
      parseFieldSelector('a=1')
        .converted((field) => `x.${field}`)
        .exact('x.a'),
    ).toBe('1');
    expect(everyField.empty).toBe(true);
  });
});

describe('mayMeet', () => {
  it.each([
    ['', '', true],
    ['', 'tier=gold', true],
    ['tier=gold', 'team=a', true],
    ['tier=gold', 'tier=silver', false],
    ['tier in (gold,silver)', 'tier in (silver,bronze)', true],
    ['tier in (gold,silver)', 'tier notin (silver,gold)', false],
    ['tier in (gold,silver)', 'tier!=silver', true],
    ['tier', '!tier', false],
    ['tier=gold', '!tier', false],
    ['tier!=gold', '!tier', true],
    ['tier', 'tier!=gold', true],
    ['tier=gold,team=a', 'tier=gold,team=b', false],
    ['tier=gold,tier=silver', '', false],
    ['size>3', 'size=5', true],
    ['size>3', '!size', false],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(parseLabelSelector(one).mayMeet(parseLabelSelector(other))).toBe(expected);
    expect(parseLabelSelector(other).mayMeet(parseLabelSelector(one))).toBe(expected);
  });
});

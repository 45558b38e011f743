import { describe, expect, it } from '@jest/globals';
import { findJsonPath, printJsonPath } from './jsonpath.js';

const data = {
  kind: 'List',
  items: [
    {
      metadata: { name: 'databases', annotations: { 'hawser.dev/approval': 'required' } },
      spec: { resources: [{ resource: 'databases', versions: ['v1', 'v2'] }], size: 3 },
    },
    { metadata: { name: 'caches' }, spec: { resources: [{ resource: 'caches', versions: ['v1'] }], size: 10 } },
  ],
};

describe('a JSONPath', () => {
  it.each([
    ['{.kind}', 'List'],
    ['kind: {.kind}!', 'kind: List!'],
    ['.kind', '.kind'],
    ['{.items[*].metadata.name}', 'databases caches'],
    ['{.items[0].metadata.name}', 'databases'],
    ['{.items[-1].metadata.name}', 'caches'],
    ['{.items[0:1].metadata.name}', 'databases'],
    ['{.items[:].spec.size}', '3 10'],
    ["{.items[0]['metadata']['name']}", 'databases'],
    ["{.items[0].metadata['name']}", 'databases'],
    ["{.items[*]['metadata','spec'].name}", 'databases caches'],
    ['{.items[0,1].spec.size}', '3 10'],
    ['{.items[0].metadata.annotations.hawser\\.dev/approval}', 'required'],
    ['{..resource}', 'databases caches'],
    ['{.items[*].spec.resources[0].versions}', '["v1","v2"] ["v1"]'],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.spec.size}{"\\n"}{end}', 'databases\t3\ncaches\t10\n'],
    ['{range .items[*]}{range .spec.resources[*]}{.resource};{end}{end}', 'databases;caches;'],
    ['{.items[?(@.spec.size>5)].metadata.name}', 'caches'],
    ['{.items[?(@.spec.size <= 3)].metadata.name}', 'databases'],
    ['{.items[?(@.metadata.name=="caches")].spec.size}', '10'],
    ["{.items[?(@.metadata.name!='caches')].spec.size}", '3'],
    ['{.items[?(@.metadata.annotations)].metadata.name}', 'databases'],
    ['{$.kind} {.items[0].spec.size}', 'List 3'],
    ['{.items[0].spec.nothing}', ''],
    ['{.__proto__.toString}', ''],
    ["{'}'}", '}'],
  ])('%s', (template, text) => {
    expect(printJsonPath(template, data)).toBe(text);
  });

  it.each([
    ['{.items', 'is not closed'],
    ['{items}', 'is no path'],
    ['{range .items[*]}{.kind}', 'has no {end}'],
    ['{.kind}{end}', 'ends no {range}'],
    ['{.items[x]}', 'is no index'],
    ['{.items[0:2:-1]}', 'goes backwards'],
    ['{.items[?(@.spec.size ~ 3)]}', 'has no operator'],
    ['{.items[7]}', 'out of bounds'],
    ['{'.repeat(100), 'is not closed'],
    ['{range .items[*]}'.repeat(40), 'are in each other'],
  ])('%s is refused', (template, words) => {
    expect(() => printJsonPath(template, data)).toThrow(words);
  });

  it('says what is not there, where that is asked for', () => {
    expect(() => printJsonPath('{.items[0].spec.nothing}', data, { allowMissingKeys: false })).toThrow(
      'nothing is not found',
    );
    expect(printJsonPath('{..resource}', data, { allowMissingKeys: false })).toBe('databases caches');
  });

  it('finds values for programs', () => {
    expect(findJsonPath('{.items[*].spec.resources}', data)).toEqual(data.items.map(({ spec }) => spec.resources));
    expect(() => findJsonPath('{range .items[*]}{.kind}{end}', data)).toThrow('no {range}');
  });
});

import { describe, expect, it } from '@jest/globals';
import { WorkspaceHomes } from './workspace-homes.js';

function homesOf(...urls: readonly string[]): { readonly homes: WorkspaceHomes; readonly changes: string[] } {
  const homes = new WorkspaceHomes();
  const changes: string[] = [];
  for (const url of urls)
    homes.onChange(url, (cluster) => {
      changes.push(`${url} ${cluster}`);
    });
  return { homes, changes };
}

describe('the endpoint through which a workspace is worked on', () => {
  it('is the one that shows it; of several, the one that began to last', () => {
    const { homes, changes } = homesOf('a', 'b');
    expect(homes.homeOf('w')).toBeUndefined();
    homes.show('a', 'w');
    homes.show('a', 'w');
    expect([homes.homeOf('w'), homes.hasOverlaps]).toEqual(['a', false]);
    homes.show('b', 'w');
    expect([homes.homeOf('w'), homes.hasOverlaps]).toEqual(['b', true]);
    // It has shown it all the time.
    homes.show('a', 'w');
    expect(homes.homeOf('w')).toBe('b');
    homes.hide('b', 'w');
    expect([homes.homeOf('w'), homes.hasOverlaps]).toEqual(['a', false]);
    homes.hide('a', 'w');
    expect(homes.homeOf('w')).toBeUndefined();
    expect(changes).toEqual(['a w', 'a w', 'b w', 'b w', 'a w', 'a w']);
  });

  it('is the most specific one, whichever began last, and another one once a slice says so', () => {
    const { homes, changes } = homesOf('everywhere', 'eu', 'west');
    homes.setSpecificity('everywhere', 0);
    homes.setSpecificity('eu', 1);
    homes.setSpecificity('west', 2);
    for (const url of ['eu', 'west', 'everywhere']) homes.show(url, 'w');
    expect(homes.homeOf('w')).toBe('west');
    changes.length = 0;
    homes.setSpecificity('everywhere', 3);
    expect(homes.homeOf('w')).toBe('everywhere');
    expect(changes).toEqual(['west w', 'everywhere w']);
  });

  it('is another one when it leaves the slice, which it is not told of', () => {
    const { homes, changes } = homesOf('a', 'b');
    homes.show('a', 'w');
    homes.show('b', 'w');
    changes.length = 0;
    homes.leave('b');
    expect([homes.homeOf('w'), changes]).toEqual(['a', ['a w']]);
    homes.leave('a');
    expect(homes.homeOf('w')).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';

import { type DeletionBudget, createDeletionBudget } from './deletion-budget.js';

const open = (
  held = false,
): { readonly clock: FakeClock; readonly budget: DeletionBudget; readonly released: boolean[] } => {
  const clock = new FakeClock();
  const budget = createDeletionBudget({ clock, perMinute: 2, held });
  const released: boolean[] = [];
  budget.onChange((free) => released.push(free));
  return { clock, budget, released };
};
const wait = (budget: DeletionBudget, ...ids: readonly string[]): void => {
  for (const id of ids) budget.waits(id, `uid-${id}`);
};

describe('a budget of two deletions a minute', () => {
  it('allows two, and two more a minute later', async () => {
    const { clock, budget } = open();
    expect(budget.answer('a')).toBeUndefined();
    wait(budget, 'a', 'b', 'a');
    expect([budget.answer('a'), budget.answer('b'), budget.held]).toEqual(['allowed', 'allowed', undefined]);
    budget.spend('a');
    budget.spend('b');
    await clock.advance(60_000);
    wait(budget, 'c', 'd');
    expect([budget.answer('c'), budget.held]).toEqual(['allowed', undefined]);
  });

  it('holds all when there are three, those too that would have been allowed', () => {
    const { budget } = open();
    wait(budget, 'a', 'b', 'c');
    expect(['a', 'b', 'c'].map((id) => budget.answer(id))).toEqual(['held', 'held', 'held']);
    expect(budget.held).toMatchObject({ count: 3, examples: ['a', 'b', 'c'] });
  });

  it('counts what was deleted within the minute', () => {
    const { budget } = open();
    wait(budget, 'a', 'b');
    budget.spend('a');
    wait(budget, 'c');
    expect([budget.answer('b'), budget.answer('c')]).toEqual(['held', 'held']);
  });

  it('stays closed when some go away, until none is left', () => {
    const { budget, released } = open();
    wait(budget, 'a', 'b', 'c');
    budget.withdraw('a');
    budget.withdraw('b');
    expect(budget.answer('c')).toBe('held');
    expect(released).not.toContain(true);
    budget.withdraw('c');
    expect(released).toContain(true);
    wait(budget, 'd');
    expect(budget.answer('d')).toBe('allowed');
  });

  it('is opened by the token for those that it names, and for no other', () => {
    const { budget, released } = open();
    wait(budget, 'a', 'b', 'c');
    const token = budget.held?.token ?? '';
    wait(budget, 'd');
    budget.approve(token);
    expect(budget.answer('a')).toBe('held');
    budget.approve(budget.held?.token ?? '');
    expect(released).toContain(true);
    expect(['a', 'b', 'c', 'd'].map((id) => budget.answer(id))).toEqual(['allowed', 'allowed', 'allowed', 'allowed']);
    // What comes later has its own budget, beside those that were approved.
    wait(budget, 'e', 'f');
    budget.spend('a');
    expect(budget.answer('e')).toBe('allowed');
    wait(budget, 'g');
    expect([budget.answer('e'), budget.answer('b'), budget.held?.count]).toEqual(['held', 'allowed', 3]);
  });

  it('does not take an approval for another object of that name', () => {
    const { budget } = open();
    wait(budget, 'a', 'b', 'c');
    budget.approve(budget.held?.token ?? '');
    budget.waits('a', 'another-uid');
    wait(budget, 'd', 'e');
    expect(budget.answer('a')).toBe('held');
  });

  it('goes on holding after a restart, unless nothing waits once all was looked at', () => {
    const { budget } = open(true);
    wait(budget, 'a');
    expect(budget.answer('a')).toBe('held');
    budget.surveyed();
    expect(budget.answer('a')).toBe('held');
    const { budget: other, released } = open(true);
    other.surveyed();
    other.surveyed();
    expect(released).toEqual([true]);
    wait(other, 'a');
    expect(other.answer('a')).toBe('allowed');
  });

  it('is not opened by a sync that ends', () => {
    const { budget } = open();
    wait(budget, 'a', 'b', 'c');
    budget.leave(['a', 'b', 'c']);
    wait(budget, 'a');
    expect(budget.answer('a')).toBe('held');
  });
});

import { describe, expect, it } from '@jest/globals';
import { drawAgentPlan } from './agent-plan.js';
import { simulateAgent } from './simulate-agent.js';

describe('the simulation of the agent', () => {
  it('holds, and is the same run for the same seed', async () => {
    const first = await simulateAgent({ seed: 2 });
    const second = await simulateAgent({ seed: 2 });
    expect(first.violations).toEqual([]);
    expect(first.requests).toBeGreaterThan(100);
    expect(second.digest).toBe(first.digest);
  }, 120_000);

  it('draws what is over when the run is', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { faults, actions } = drawAgentPlan(seed, 600_000);
      for (const one of [...faults, ...actions])
        expect(one.at + ('forMs' in one ? one.forMs : 0)).toBeLessThanOrEqual(600_000);
    }
  });
});

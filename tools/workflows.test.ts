import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './workspace.ts';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const files = globSync('.github/workflows/*.yml', { cwd: root }).sort();

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const workflow = parse(text) as { readonly permissions: unknown; readonly jobs: Readonly<Record<string, Job>> };
  const jobs = Object.values(workflow.jobs);

  it('pins each action by its commit, and says which version that is', () => {
    const uses = text.split('\n').filter((line) => line.includes('uses:'));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: [a-z-]+\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u);
  });

  it('may read, and more only where a job says so; nothing runs for ever', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
  });

  it('puts nothing that others write into a shell, and no token into its arguments', () => {
    for (const { run = '' } of jobs.flatMap(({ steps }) => steps)) expect(run).not.toContain('${{');
  });

  it('keeps no credential in the checkout', () => {
    for (const checkout of text.split('uses: actions/checkout').slice(1))
      expect(checkout.split('- uses:')[0]).toContain('persist-credentials: false');
  });
});

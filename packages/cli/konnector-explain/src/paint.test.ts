import { describe, expect, it } from '@jest/globals';

import { type BindingReport, type Examination, examinationText, treeText } from './index.js';

const paint = (tone: string, text: string): string => `<${tone}>${text}</>`;

describe('with colours', () => {
  const connection = {
    server: 'https://provider',
    clusterNamespace: 'cluster-a',
    lastHeartbeat: new Date(0).toISOString(),
    alive: true,
  };
  const report: BindingReport = {
    kind: 'APIServiceBinding',
    name: 'databases',
    standing: 'held',
    findings: [],
    connection,
    claims: [],
    claimed: [],
    writes: [],
    resources: [{ name: 'databases.example.com', names: undefined, standing: 'inStep', objects: [] }],
  };
  const examinations: readonly Examination[] = [
    { area: 'secret', subject: 'a', state: 'ok', message: 'is there' },
    { area: 'rights', subject: 'b', state: 'failed', message: 'lacks', actor: 'operator' },
    { area: 'objects', subject: 'c', state: 'warning', message: 'waits' },
  ];

  it('the tree has them in its marks', () => {
    const text = treeText([report], 1_000, paint);
    expect(text).toContain('<good>[ok]</> last heartbeat 1 s ago');
    expect(text).toContain('binding databases  <bad>[!]</>');
    expect(text).toContain('resource databases.example.com  <good>[ok]</>');
    expect(text.replace(/<[^>]*>/gu, '')).toBe(treeText([report], 1_000));
  });

  it('an examination has them in its marks, and in what follows from all', () => {
    const text = examinationText(examinations, paint);
    expect(text).toContain('  <good>[ok]</> a: is there\n');
    expect(text).toContain('  <bad>[!]</>  b: lacks\n');
    expect(text).toContain('  <warning>[--]</> c: waits\n');
    expect(text).toMatch(/<bad>Who must act: the operator\.<\/>$/u);
    expect(text.replace(/<[^>]*>/gu, '')).toBe(examinationText(examinations));
  });
});

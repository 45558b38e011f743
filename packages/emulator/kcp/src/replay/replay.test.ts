import { expect, test } from '@jest/globals';
import { startKcp } from '../start-kcp.js';
import { judge } from './judge.js';
import { knownDifferences } from './known-differences.js';
import { readRecordings } from './recording.js';
import { replay } from './replay.js';

test('the embedded kcp answers what a real one has answered', async () => {
  const agent = 'agent-token';
  const running = await startKcp({ users: { [agent]: { name: 'api-syncagent-e2e', groups: [] } } });
  try {
    const { kcp } = running;
    const replayed = await replay(
      readRecordings(),
      {
        url: running.url,
        authority: running.authority,
        tokens: { '': kcp.adminToken, agent },
        patienceMs: 5_000,
        settleMs: 30,
        forget: () => {
          kcp.compact();
        },
      },
      knownDifferences,
    );
    const { unexplained, gone, report } = judge(replayed, knownDifferences);
    process.stdout.write(`${report}\n`);
    expect(unexplained).toEqual([]);
    expect(gone).toEqual([]);
  } finally {
    await running.stop();
  }
});

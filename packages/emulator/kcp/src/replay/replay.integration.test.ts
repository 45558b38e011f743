import { describe, expect, test } from '@jest/globals';
import { judge } from './judge.js';
import { knownDifferencesOfKcp } from './known-differences.js';
import { locateKcp, startRealKcp } from './real-kcp.js';
import { readRecordings } from './recording.js';
import { replay } from './replay.js';

const located = locateKcp(process.env);
if (located.kind === 'missing') process.stderr.write(`skipped: a real kcp answers as recorded: ${located.reason}\n`);

(located.kind === 'missing' ? describe.skip : describe)('a real kcp', () => {
  test('answers as recorded', async () => {
    const agent = 'agent-token';
    const kcp = await startRealKcp(located.kind === 'found' ? located.program : '', { [agent]: 'api-syncagent-e2e' });
    try {
      const { url, authority, adminToken } = kcp;
      const replayed = await replay(
        readRecordings(),
        { url, authority, tokens: { '': adminToken, agent }, patienceMs: 60_000, settleMs: 1_500 },
        knownDifferencesOfKcp,
      );
      const { unexplained, report } = judge(replayed, knownDifferencesOfKcp);
      process.stdout.write(`${report}\n`);
      // What is known to differ depends on how fast the machine is: it need not.
      expect(unexplained).toEqual([]);
    } finally {
      await kcp.stop();
    }
  }, 1_800_000);
});
